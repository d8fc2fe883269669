"""What is kept of a run: the question, the tool calls if they are wanted, and the answer."""

from collections.abc import Sequence

from arc_core import AssistantMessage, Message, UserMessage

__all__ = ["exchange"]


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
