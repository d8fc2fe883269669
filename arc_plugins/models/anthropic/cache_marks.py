"""Marks up to which the vendor keeps a request, so that the next one costs a tenth up to there.

The vendor allows four; Arc sets three at most: behind the tools, the system prompt, and the
messages that the next request will begin with. They are put into what is encoded already.
"""

from typing import NamedTuple

__all__ = ["EncodedTurn", "mark", "mark_messages"]

_MARK = b',"cache_control":{"type":"ephemeral"}}'


class EncodedTurn(NamedTuple):
    """What became of a message.

    Attributes:
        role: `user` or `assistant`.
        blocks: JSON objects, joined by commas; empty if there are none.
        can_be_marked: Whether the last of them may have a mark; thinking may not.
    """

    role: bytes
    blocks: bytes
    can_be_marked: bool


def mark(objects: bytes) -> bytes:
    """A JSON object with a mark; of several, the last one has it."""
    return objects[:-1] + _MARK


def mark_messages(turns: list[EncodedTurn], *, stable: int) -> None:
    """Mark the last of the stable messages that can have a mark, if there is one.

    Args:
        turns: All messages of a request; the one that is marked is replaced.
        stable: How many of the first are stable.
    """
    for place in reversed(range(min(stable, len(turns)))):
        turn = turns[place]
        if turn.can_be_marked:
            turns[place] = turn._replace(blocks=mark(turn.blocks))
            return
