"""Sessions as stores keep them: their titles, and the first turn that is read of them."""

from collections.abc import Iterable
from itertools import islice

from arc_core.messages import Message, UserMessage
from arc_core.messages.content import Attachment

MAX_TITLE_CHARS = 80


def title_of(messages: Iterable[Message]) -> str:
    """The beginning of the first user message, on one line; else the name of what it attaches."""
    first = next((each for each in messages if isinstance(each, UserMessage)), None)
    if first is None:
        return ""
    text = _on_one_line(first.text)
    if text or isinstance(first.content, str):
        return text
    attached = (each for each in first.content if isinstance(each, Attachment))
    return _on_one_line(next((each.name or each.media_type for each in attached), ""))


def _on_one_line(text: str) -> str:
    words = islice(text[: MAX_TITLE_CHARS * 8].split(), MAX_TITLE_CHARS)
    line = " ".join(words)
    return line if len(line) <= MAX_TITLE_CHARS else f"{line[: MAX_TITLE_CHARS - 1].rstrip()}…"


def split_turns(messages: Iterable[Message]) -> list[list[Message]]:
    """Messages cut before every user message."""
    turns: list[list[Message]] = []
    for message in messages:
        if isinstance(message, UserMessage) or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def first_turn(turns: int, *, max_turns: int, step: int = 1) -> int:
    """Return the number of a session's turns that stand before those that are read.

    The number is a multiple of `step`, so that it stays the same while the session grows by as many
    turns; between `max_turns - step + 1` and `max_turns` turns are read. If no multiple leaves a
    turn to read, exactly `max_turns` are.
    """
    first = max(turns - max(max_turns, 0), 0)
    in_steps = -(-first // step) * step
    return in_steps if in_steps < turns else first
