"""Titles of sessions in lists: the beginning of the first question."""

from collections.abc import Iterable
from itertools import islice

from arc_core.messages import Message, UserMessage
from arc_core.messages.content import Attachment

__all__ = ["MAX_TITLE_CHARS", "title_of"]

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
