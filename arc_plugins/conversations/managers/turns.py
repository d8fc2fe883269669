"""Messages in turns: a user message and what follows it."""

from collections.abc import Iterable, Sequence
from itertools import chain

from arc_core import Message, UserMessage

__all__ = ["Turn", "join", "last_of", "turns_of"]

Turn = list[Message]


def turns_of(messages: Iterable[Message]) -> list[Turn]:
    """Messages cut before every user message."""
    turns: list[Turn] = []
    for message in messages:
        if isinstance(message, UserMessage) or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def last_of(turns: Sequence[Turn], count: int) -> Sequence[Turn]:
    """The last so many turns, or all if there are fewer."""
    return turns[max(len(turns) - count, 0) :]


def join(turns: Iterable[Turn]) -> tuple[Message, ...]:
    """The messages of turns, in order."""
    return tuple(chain.from_iterable(turns))
