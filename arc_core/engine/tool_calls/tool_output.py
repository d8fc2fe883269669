"""From what a tool returns to what the model reads."""

import re
from collections.abc import Sequence

from arc_core.engine.tool_calls.bounded_json import json_beginning
from arc_core.engine.truncation import cut_text
from arc_core.messages.content import Attachment, Content, Part, Text
from arc_core.text.masking import mask_text

__all__ = ["UnreadableOutputError", "render", "retry_text"]

_MAX_RETRY_CHARS = 4000
_MASKED_AHEAD_CHARS = 1000
_PREFIX = re.compile(r"\A(?:\s|error:)*", re.IGNORECASE)


class UnreadableOutputError(Exception):
    """A tool returned what is neither text nor can become JSON."""


def render(value: object, *, max_chars: int) -> Content:
    """Text as it is, attachments in their places, anything else as compact JSON.

    A text is cut with a notice if it is longer; of several, what is left of the bound counts. Half
    a character, as names of files may have, becomes a question mark: no vendor would take it.

    Raises:
        UnreadableOutputError: The value is neither.
    """
    parts = (value,) if isinstance(value, Attachment) else value
    if isinstance(parts, list | tuple) and any(isinstance(part, Attachment) for part in parts):
        return _render_parts(parts, max_chars=max_chars)
    return _render_text(value, max_chars=max_chars)


def _render_parts(parts: Sequence[object], *, max_chars: int) -> Content:
    rendered: list[Part] = []
    for part in parts:
        if isinstance(part, Attachment):
            rendered.append(part)
        else:
            value = part.text if isinstance(part, Text) else part
            text = _render_text(value, max_chars=max_chars)
            max_chars = max(0, max_chars - len(text))
            rendered.append(Text(text))
    return tuple(rendered)


def _render_text(value: object, *, max_chars: int) -> str:
    if isinstance(value, str):
        return cut_text(value, max_chars=max_chars).encode(errors="replace").decode()
    try:
        text, whole = json_beginning(value, max_chars=max_chars)
    except ValueError as error:  # pydantic's serialisation errors are ValueErrors
        raise UnreadableOutputError(type(value).__name__) from error
    if whole:
        return cut_text(text, max_chars=max_chars)
    return f"{text[:max_chars]}\n[Output truncated: its first {max_chars} characters]"


def retry_text(text: object, *, max_chars: int) -> str | None:
    """What a tool tells the model of its failure, secrets masked and cut; None if it says nothing.

    A secret across the place of the cut is masked whole, since the text is masked before it is cut.

    Args:
        text: As the tool raised it; what is not a text says nothing.
        max_chars: Of any output of a tool; a failure may take 4000 of them.
    """
    if not isinstance(text, str):
        return None
    max_chars = min(max_chars, _MAX_RETRY_CHARS)
    told = text[: max_chars + _MASKED_AHEAD_CHARS].encode(errors="replace").decode()
    told = mask_text(_PREFIX.sub("", told, count=1)).rstrip()
    if not told:
        return None
    told = f"Error: {told}"
    return told if len(told) <= max_chars else f"{told[: max_chars - 1]}…"
