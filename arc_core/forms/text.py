"""From a value to its text, and back."""

import importlib
import json
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from json.encoder import encode_basestring
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, overload

from pydantic import TypeAdapter, ValidationError

from arc_core.events import ReasoningDelta, TextDelta
from arc_core.forms.json_text import Flaw, dump, load, name_place, show
from arc_core.forms.kinds import misfit
from arc_core.forms.table import FORMS, REQUESTS, find_form, read_object
from arc_core.requests import Request
from arc_core.result import AgentResult

VERSION = 1
"""The version in `v`; it rises when an old reader would misread a text."""

_PIECES: dict[type, str] = {TextDelta: "text_delta", ReasoningDelta: "reasoning_delta"}
_MAX_PLAIN_SEQ = 10**15


def to_json(value: object) -> str:
    """The JSON form of a command, a message, a part, an event or a result.

    Compact, on one line, in characters that any UTF-8 text may hold. `from_json` gives back an
    equal value, but for what JSON cannot carry unchanged: it is left out of `metadata` of a result
    and of `vendor_content`; `output` becomes the JSON that pydantic makes of it, or None.

    Raises:
        FormError: The value has no form, or holds what JSON cannot carry elsewhere, as `metadata`
            of a command may; names the place.
    """
    if type(value) is TextDelta or type(value) is ReasoningDelta:
        piece = _write_piece(value)
        if piece is not None:
            return piece
    with name_place():
        return dump({"v": VERSION, **find_form(value).write(value)})


def _write_piece(piece: TextDelta | ReasoningDelta) -> str | None:
    """The same text without the table, since most events are pieces; None if it is not plain."""
    tag, text, run_id, seq = _PIECES[type(piece)], piece.text, piece.run_id, piece.seq
    if not (type(text) is str and run_id and type(run_id) is str and type(seq) is int):
        return None
    if not 0 < seq < _MAX_PLAIN_SEQ:
        return None
    written = (
        f'{{"v":{VERSION},"type":"{tag}","text":{encode_basestring(text)},'
        f'"run_id":{encode_basestring(run_id)},"seq":{seq}}}'
    )
    if written.isascii():
        return written
    try:
        written.encode()
    except UnicodeEncodeError:
        return None
    return written


ValueT = TypeVar("ValueT")


@overload
def from_json(text: str, expected: type[ValueT], *, modules: Iterable[str] = ()) -> ValueT: ...
@overload
def from_json(text: str, expected: object, *, modules: Iterable[str] = ()) -> Any: ...
def from_json(text: str, expected: Any, *, modules: Iterable[str] = ()) -> Any:
    """The value of a JSON form.

    Args:
        text: From `to_json`.
        expected: A class or a union of classes, such as `Message` or `AgentEvent`. With
            `AgentResult[Invoice]`, `output` is validated as an `Invoice`; with `AgentResult` it is
            what JSON has.
        modules: Imported first, for the classes of response schemas. A class of a module that is
            not imported is read as its JSON Schema.

    Raises:
        FormError: The text is not JSON or is cut off, or it is of another type or version; or a key
            is unknown, missing, or stands there twice, or its value does not fit. Names the place.
    """
    if not isinstance(text, str):
        raise TypeError(f"from_json reads a str, not {type(text).__name__}: decode bytes first")
    classes, answer = _find_classes(expected)
    for module in modules:
        importlib.import_module(module)
    with name_place():
        value = read_object(_without_version(load(text)), classes)
        return value if answer is None else _with_answer(value, answer)


@lru_cache(maxsize=256)
def _find_classes(expected: Any) -> tuple[tuple[type, ...], TypeAdapter[Any] | None]:
    """The classes that are expected, and how the answer of a result is validated."""
    known = {form.cls for form in FORMS.values()}
    origin = get_origin(expected)
    wanted = get_args(expected) if origin in {Union, UnionType} else (origin or expected,)
    if expected is Request:
        wanted = REQUESTS
    if not known.issuperset(wanted):
        raise TypeError(f"{expected!r} has no JSON form: ask for a class of arc_core that has one")
    if origin is AgentResult:
        return wanted, TypeAdapter(get_args(expected)[0])
    return wanted, None


def _without_version(found: Any) -> Any:
    """Return an object without its version.

    Raises:
        Flaw: The version is missing or not known.
    """
    if type(found) is not dict:
        raise misfit(found, "an object")
    version = found.pop("v", None)
    if type(version) is not int or version != VERSION:
        shown = "missing" if version is None else f"{show(version)}, and {VERSION} is known"
        raise Flaw(
            f"its version is {shown}", remedy="read it with the version of Arc that wrote it"
        ).within("v")
    return found


def _with_answer(result: AgentResult, answer: TypeAdapter[Any]) -> AgentResult:
    """A result whose output is a value of the type that was asked for."""
    if result.output is None:
        return result
    try:
        return replace(result, output=answer.validate_json(json.dumps(result.output)))
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        raise Flaw(
            f"the value is refused: {first['msg']}", remedy="ask for the type that was written"
        ).within("output") from None
