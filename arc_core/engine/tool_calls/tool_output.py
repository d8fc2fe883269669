"""From what a tool returns to what the model reads."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import islice
from types import GeneratorType
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

from arc_core.engine.journal.records import HiddenPart
from arc_core.errors import ToolArgumentsError
from arc_core.log import get_logger
from arc_core.messages import ToolOutcome
from arc_core.messages.content import (
    Attachment,
    Content,
    Part,
    Text,
    cut_text,
    get_attachments,
    get_text,
)
from arc_core.text.excerpts import make_excerpt
from arc_core.text.masking import mask_text

_MAX_PARTS_AT_ONCE = 5000
_MAX_PARTS_OF_AN_OBJECT = 100_000  # its class says what its JSON is: it cannot be taken apart
_CHARS_PER_PART = 100
_MAX_DEPTH = 200
_BATCH = 500


def json_beginning(value: object, *, max_chars: int) -> tuple[str, bool]:
    """Compact JSON, and whether it is whole; else its first `max_chars` characters or some more.

    Raises:
        ValueError: It cannot become JSON, or an object in it has too many parts.
    """
    if _is_small(value, most=_MAX_PARTS_AT_ONCE):
        return to_json(value).decode(), True
    made, pieces = 0, []
    for piece in _pieces(value, within=(), max_chars=max_chars):
        pieces.append(piece)
        made += len(piece)
        if made > max_chars:
            return "".join(pieces), False
    return "".join(pieces), True


def _is_small(value: object, *, most: int) -> bool:
    """Return True if a value has at most so many parts, and is not made while it is read."""
    pending = [value]
    for part in pending:
        cls = type(part)
        if cls is str or cls is bytes:
            most -= len(part) // _CHARS_PER_PART  # type: ignore[arg-type]
        elif cls is not int and cls is not float and part is not None:
            if isinstance(part, GeneratorType):
                return False
            inner = _list_parts(part)
            if len(inner) > most - len(pending):
                return False
            pending.extend(inner)
        if len(pending) > most:
            return False
    return True


def _list_parts(value: object) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()] if len(value) < _MAX_PARTS_OF_AN_OBJECT else _TOO_MANY
    if isinstance(value, list | tuple | set | frozenset):
        return list(value) if len(value) < _MAX_PARTS_OF_AN_OBJECT else _TOO_MANY
    if isinstance(value, str | bytes | bytearray):
        return [None] * (len(value) // _CHARS_PER_PART)
    return _list_fields(value)


def _list_fields(value: object) -> list[Any]:
    if isinstance(value, BaseModel):
        return [*value.__dict__.values(), value.model_extra or {}]
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, each.name, None) for each in fields(value)]
    return []


_TOO_MANY: list[Any] = [None] * _MAX_PARTS_OF_AN_OBJECT


def _pieces(value: object, *, within: tuple[int, ...], max_chars: int) -> Iterator[str]:
    """The pieces of a value in the objects and arrays of these identities."""
    if len(within) > _MAX_DEPTH or id(value) in within:
        raise ValueError("it is nested too deeply, or has itself in it")
    if isinstance(value, dict):
        yield from _object(value, within=(*within, id(value)), max_chars=max_chars)
    elif isinstance(value, list | tuple | set | frozenset | GeneratorType):
        yield from _array(value, within=(*within, id(value)), max_chars=max_chars)
    elif type(value) is str:
        # One character more than is read shows that it goes on.
        yield to_json(value[: max_chars + 1]).decode()
    elif _is_small(value, most=_MAX_PARTS_OF_AN_OBJECT):
        yield to_json(value).decode()
    else:
        raise ValueError("it has too many parts")


def _array(values: Iterable[Any], *, within: tuple[int, ...], max_chars: int) -> Iterator[str]:
    size = 1 if isinstance(values, GeneratorType) else _BATCH
    left, sign = iter(values), "["
    while batch := list(islice(left, size)):
        if _is_small(batch, most=_MAX_PARTS_AT_ONCE):
            yield sign + to_json(batch).decode()[1:-1]
            sign = ","
            continue
        for value in batch:
            yield sign
            yield from _pieces(value, within=within, max_chars=max_chars)
            sign = ","
    yield "[]" if sign == "[" else "]"


def _object(values: dict[Any, Any], *, within: tuple[int, ...], max_chars: int) -> Iterator[str]:
    left, sign = iter(values.items()), "{"
    while batch := dict(islice(left, _BATCH)):
        if _is_small(batch, most=_MAX_PARTS_AT_ONCE):
            yield sign + to_json(batch).decode()[1:-1]
            sign = ","
            continue
        for key, value in batch.items():
            short = key[: max_chars + 1] if isinstance(key, str) else key
            yield sign + to_json({short: None}).decode()[1:-5]
            yield from _pieces(value, within=within, max_chars=max_chars)
            sign = ","
    yield "{}" if sign == "{" else "}"


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
    """Return a tool's own words on its failure, secrets masked and cut; None if it has none.

    A secret across the place of the cut is masked whole, since the text is masked before it is cut.
    A failure may take 4000 characters; what is not a text says nothing.
    """
    if not isinstance(text, str):
        return None
    max_chars = min(max_chars, _MAX_RETRY_CHARS)
    words = text[: max_chars + _MASKED_AHEAD_CHARS].encode(errors="replace").decode()
    words = mask_text(_PREFIX.sub("", words, count=1)).rstrip()
    if not words:
        return None
    words = f"Error: {words}"
    return words if len(words) <= max_chars else f"{words[: max_chars - 1]}…"


def cut_content(content: Content, *, max_chars: int) -> Content:
    """Return a result whose text is cut with a notice if it is too long."""
    text = get_text(content)
    if len(text) <= max_chars:
        return content
    attachments, cut = get_attachments(content), cut_text(text, max_chars=max_chars)
    return (Text(cut), *attachments) if attachments else cut


def put_aside(
    content: Content, *, key: str, max_chars: int, keep_chars: int
) -> tuple[Content, HiddenPart | None]:
    """Return what the model is shown of a result, and what it is not, if that is too long.

    Of several texts the model is shown one; attachments stay behind it. One that was cut at
    `keep_chars` ends with a notice.
    """
    if isinstance(content, str) and len(content) <= max_chars:
        return content, None
    text = get_text(content)
    if len(text) <= max_chars:
        return content, None
    is_cut = len(text) > keep_chars
    excerpt = make_excerpt(text, key=key, max_chars=max_chars, is_cut=is_cut)
    if len(excerpt.text) >= len(text):
        return content, None
    hidden = HiddenPart(
        text=text[excerpt.head_chars : len(text) - excerpt.tail_chars],
        head_chars=excerpt.head_chars,
        tail_chars=excerpt.tail_chars,
        is_cut=is_cut,
    )
    attachments = get_attachments(content)
    return ((Text(excerpt.text), *attachments) if attachments else excerpt.text), hidden


logger = get_logger("tool_calls")


def tell_invalid_arguments(name: str, error: ToolArgumentsError) -> tuple[str, ToolOutcome]:
    """The arguments do not fit the schema."""
    text = f"Error: Invalid arguments for tool '{name}': {error}"
    return text, ToolOutcome.INVALID_ARGUMENTS


def tell_unreadable(name: str, error: UnreadableOutputError) -> tuple[str, ToolOutcome]:
    """The tool returned neither text nor JSON."""
    logger.error(
        "tool returned what is neither text nor JSON; return str or JSON values",
        tool=name,
        returned=str(error),
    )
    text = f"Error: Tool '{name}' returned data that is neither text nor JSON"
    return text, ToolOutcome.FAILED


def tell_interruption(name: str, *, denial: str | None = None) -> tuple[str, ToolOutcome]:
    """The call was being made when a process ended, and must not be made twice."""
    logger.warning("tool was called when the process ended, and is not called again", tool=name)
    text = (
        f"Error: The call of the tool '{name}' was interrupted. It is unknown whether it took "
        "effect; it was not made again."
    )
    if denial is not None:
        text = f"{text} A person has decided so: {denial}"
    return text, ToolOutcome.INTERRUPTED
