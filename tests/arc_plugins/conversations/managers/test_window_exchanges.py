"""A kept run begins with its question and ends with what the caller got."""

import pytest

from arc_core import AssistantMessage, Message, ToolCall, ToolResult, ToolResultMessage, UserMessage
from arc_plugins.conversations.managers.window import exchange

QUESTION, ANSWER = UserMessage("question"), AssistantMessage("answer", vendor_content=["signed"])
CALL = AssistantMessage("", (ToolCall("c1", "look", "{}"),))
RESULT = ToolResultMessage((ToolResult("c1", "look", "seen"),))


@pytest.mark.parametrize(
    ("added", "kept"),
    [
        ((), (AssistantMessage("answer"),)),
        ((UserMessage("other"), ANSWER), (ANSWER,)),
        ((QUESTION, CALL, RESULT, ANSWER), (CALL, RESULT, ANSWER)),
        ((QUESTION, CALL, RESULT), (CALL, RESULT, AssistantMessage("answer"))),
    ],
)
def test_a_run_is_kept_from_its_question_to_its_answer(
    added: tuple[Message, ...], kept: tuple[Message, ...]
) -> None:
    """The answer as the model signed it, if it is what the caller got."""
    assert exchange(QUESTION, added, answer=AssistantMessage("answer")) == (QUESTION, *kept)


def test_an_answer_that_a_filter_has_changed_is_kept_as_the_caller_got_it() -> None:
    """What was filtered out does not come back from what the vendor signed."""
    changed = AssistantMessage("ans***")

    messages = exchange(QUESTION, (QUESTION, CALL, RESULT, ANSWER), answer=changed)

    assert messages == (QUESTION, CALL, RESULT, changed)
