"""Messages in turns: a user message and what follows it."""

from collections.abc import Iterable, Sequence
from itertools import chain

from arc_core import AssistantMessage, Message, UserMessage

Turn = list[Message]


def split_turns(messages: Iterable[Message]) -> list[Turn]:
    """Messages cut before every user message."""
    turns: list[Turn] = []
    for message in messages:
        if isinstance(message, UserMessage) or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def last_turns(turns: Sequence[Turn], count: int) -> Sequence[Turn]:
    """The last so many turns, or all if there are fewer."""
    return turns[max(len(turns) - count, 0) :]


def join(turns: Iterable[Turn]) -> tuple[Message, ...]:
    """The messages of turns, in order."""
    return tuple(chain.from_iterable(turns))


def exchange(
    question: UserMessage, added: Sequence[Message], *, answer: str
) -> tuple[Message, ...]:
    """The messages to keep, the question first and the answer last.

    Args:
        question: As it was asked, without the documents that were retrieved for it.
        added: What the run has added to the conversation, its question first, with the tool calls
            to keep; empty for none.
        answer: What the caller got, which filters may have changed since the model said it.
    """
    between = list(added[1:])
    last = between[-1] if between else None
    if isinstance(last, AssistantMessage) and not last.tool_calls:
        if last.content == answer:
            return question, *between
        between.pop()
    return question, *between, AssistantMessage(answer)
