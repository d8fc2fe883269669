"""Histories are cut into turns and put together again."""

from hypothesis import given
from hypothesis import strategies as st

from arc_core import AssistantMessage, Message, UserMessage
from arc_core.messages.sessions import split_turns
from arc_plugins.conversations.managers.summarizing import join

HISTORIES = st.lists(st.sampled_from([UserMessage("q"), AssistantMessage("a")]))


@given(HISTORIES)
def test_every_turn_starts_with_a_question(history: list[Message]) -> None:
    """All but what stands before the first one; nothing is lost."""
    turns = split_turns(history)

    assert list(join(turns)) == history
    assert all(isinstance(turn[0], UserMessage) for turn in turns[1:])
    assert not any(isinstance(each, UserMessage) for turn in turns for each in turn[1:])
