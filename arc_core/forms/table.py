"""The form of each class, from the annotations of its fields: a new kind of value is a new row.

A field at its default is left out, so that what is stored stays small and a class may gain a field
without a new version; results and usage are written whole, for programs that look for every key.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError

from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.forms import kinds
from arc_core.forms.json_text import Flaw, show
from arc_core.forms.kinds import Kind
from arc_core.limits import Limits
from arc_core.messages import (
    AssistantMessage,
    Reasoning,
    SystemMessage,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.content import Attachment, Text
from arc_core.requests import (
    Answer,
    ApprovalRequest,
    Approve,
    Decision,
    Deny,
    LoginRequest,
    QuestionRequest,
    Request,
)
from arc_core.result import AgentResult
from arc_core.usage import TokenUsage

_REQUIRED = object()

REQUESTS = (ApprovalRequest, LoginRequest, QuestionRequest)
"""The classes of a `Request`."""


class ClassForm:
    """The form of one class.

    Args:
        tag: What stands in its `type`.
        cls: The class; its fields are written in their order, each as its annotation says.
        keys: The keys of fields that are written by another name, so that older texts are read.
        is_whole: Whether fields at their default are written, too.
        exceptions: The fields that are written otherwise; if all are named, in that order.
    """

    def __init__(
        self,
        tag: str,
        cls: type,
        keys: Mapping[str, str] = MappingProxyType({}),
        /,
        *,
        is_whole: bool = False,
        **exceptions: Kind,
    ) -> None:
        self.tag, self.cls, self._is_whole = tag, cls, is_whole
        self._defaults = _read_defaults(cls)
        hints = get_type_hints(cls)
        order = exceptions if exceptions.keys() == self._defaults.keys() else self._defaults
        self.kinds = {name: exceptions.get(name) or _derive(hints[name]) for name in order}
        self._names = {keys.get(name, name): name for name in self.kinds}
        self._fields = [
            (key, name, self.kinds[name].write, self._defaults[name])
            for key, name in self._names.items()
        ]
        self._required = {
            key for key, name in self._names.items() if self._defaults[name] is _REQUIRED
        }

    def write(self, value: object) -> dict[str, Any]:
        """The JSON object of a value of the class; a `Flaw` if JSON cannot carry a field."""
        written: dict[str, Any] = {"type": self.tag}
        is_whole = self._is_whole
        for key, name, write, default in self._fields:
            item = getattr(value, name)
            if is_whole or (item is not default and not _is_equal(item, default)):
                try:
                    plain = write(item)
                except Flaw as flaw:
                    raise flaw.within(key) from flaw.__cause__
                if is_whole or not _is_equal(plain, default):
                    written[key] = plain
        return written

    def read(self, found: Any) -> Any:
        """The value of a JSON object of this type.

        Raises:
            Flaw: A key is missing or unknown, or a value is not what its field takes.
        """
        if type(found) is not dict:
            raise kinds.misfit(found, "an object")
        values = {}
        for key, item in found.items():
            if key == "type":
                continue
            name = self._names.get(key)
            if name is None:
                raise Flaw(
                    f"the type {self.tag!r} has no key {show(key)}",
                    remedy="remove it, or read it with the version of Arc that wrote it",
                )
            try:
                values[name] = self.kinds[name].read(item)
            except Flaw as flaw:
                raise flaw.within(key) from flaw.__cause__
        if missing := sorted(self._required - found.keys()):
            raise Flaw(f"the type {self.tag!r} needs the key {missing[0]!r}", remedy="add it")
        return self._make(values)

    def _make(self, values: Mapping[str, Any]) -> Any:
        try:
            return self.cls(**values)
        except ValidationError as error:
            first = error.errors(include_input=False, include_context=False)[0]
            flaw = Flaw(f"the value is refused: {first['msg']}", remedy="correct it")
            for step in reversed(first["loc"][:1]):
                flaw.within(step)
            raise flaw from None
        except ValueError as error:
            raise Flaw(f"the value is refused: {error}", remedy="correct it") from None


def _is_equal(value: object, default: object) -> bool:
    return type(value) is type(default) and value == default


def _read_defaults(cls: Any) -> dict[str, Any]:
    """The defaults of the fields of a dataclass or a pydantic class."""
    if issubclass(cls, BaseModel):
        return {
            name: _REQUIRED if field.is_required() else field.get_default(call_default_factory=True)
            for name, field in cls.model_fields.items()
        }
    return {each.name: _read_default(each) for each in fields(cls)}


def _read_default(field: Field[Any]) -> object:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return _REQUIRED if field.default is MISSING else field.default


_PLAIN: Mapping[Any, Kind] = {
    str: kinds.TEXT,
    bool: kinds.BOOLEAN,
    int: kinds.INTEGER,
    float: kinds.NUMBER,
    bytes: kinds.DATA,
    Decimal: kinds.DECIMAL,
    datetime: kinds.TIME,
    dict[str, Any]: kinds.JSON_OBJECT,
    Mapping[str, Any]: kinds.JSON_OBJECT,
}


def _derive(annotation: Any) -> Kind:
    """The kind of the values of an annotation.

    Raises:
        TypeError: It says too little; the row of the class has to name the kind.
    """
    if (plain := _PLAIN.get(annotation)) is not None:
        return plain
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is tuple:
        return kinds.many(_derive(members[0]))
    if origin in {Union, UnionType}:
        return _derive_union([each for each in members if each is not NoneType], members)
    if origin is Annotated:
        return _derive(members[0])
    if not isinstance(annotation, type):
        raise TypeError(f"nothing says how {annotation} is written: give its field a kind")
    return kinds.choice(annotation) if issubclass(annotation, StrEnum) else object_kind(annotation)


def _derive_union(present: list[Any], members: tuple[Any, ...]) -> Kind:
    if len(present) == 1:
        kind = _derive(present[0])
    elif str in present:
        kind = _text_or(_derive(next(each for each in present if each is not str)))
    else:
        kind = object_kind(*present)
    return kind if len(present) == len(members) else kinds.optional(kind)


def _text_or(parts: Kind) -> Kind:
    """A text, or an array of parts."""
    return Kind(
        write=lambda value: (
            kinds.TEXT.write(value) if isinstance(value, str) else parts.write(value)
        ),
        read=lambda found: parts.read(found) if isinstance(found, list) else kinds.TEXT.read(found),
    )


def find_form(value: object) -> ClassForm:
    """The form of a value; a `Flaw` if its class has none."""
    form = _BY_CLASS.get(type(value))
    if form is None:
        raise Flaw(
            f"{type(value).__name__} has no JSON form",
            remedy=f"use one of: {', '.join(cls.__name__ for cls in _BY_CLASS)}",
        )
    return form


def read_object(found: object, classes: tuple[type, ...]) -> Any:
    """The value, of one of some classes, of a JSON object.

    Raises:
        Flaw: It is not an object, or is of another type, or of one that is not known.
    """
    if type(found) is not dict:
        raise kinds.misfit(found, "an object")
    tag = found.get("type")
    form = FORMS.get(tag) if isinstance(tag, str) else None
    if form is None:
        shown = show(tag) if isinstance(tag, str) else kinds.describe(tag)
        problem = f"the type {shown} is not known" if "type" in found else "it has no type"
        raise Flaw(problem, remedy="read it with the version of Arc that wrote it")
    if form.cls not in classes:
        wanted = ", ".join(_BY_CLASS[cls].tag for cls in classes)
        raise Flaw(f"its type is {form.tag!r}", remedy=f"one of these is expected: {wanted}")
    return form.read(found)


def object_kind(*classes: type) -> Kind:
    """A value of one of some classes; `Request` stands for all kinds of requests."""
    if classes == (Request,):
        classes = REQUESTS

    def write(value: object) -> dict[str, Any]:
        form = find_form(value)
        if form.cls not in classes:
            raise Flaw(f"the type {form.tag!r} cannot stand here", remedy="correct the value")
        return form.write(value)

    return Kind(write=write, read=lambda found: read_object(found, classes))


def _row(cls: type, *, is_whole: bool = False, **exceptions: Kind) -> ClassForm:
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in cls.__name__)
    return ClassForm(name.removeprefix("_"), cls, is_whole=is_whole, **exceptions)


_ROWS = (
    _row(Text),
    _row(Attachment),
    _row(ToolCall),
    _row(ToolResult),
    _row(Reasoning),
    _row(SystemMessage),
    _row(UserMessage),
    _row(AssistantMessage, vendor_content=kinds.JSON_IF_CARRIED),
    _row(ToolResultMessage),
    _row(TokenUsage, is_whole=True),
    _row(Limits),
    _row(
        AgentCommand,
        session_id=kinds.optional(kinds.SESSION_ID),
        response_schema=kinds.optional(kinds.RESPONSE_SCHEMA),
    ),
    _row(AgentResult, is_whole=True, metadata=kinds.METADATA_IF_CARRIED, output=kinds.ANSWER),
    _row(ApprovalRequest),
    _row(LoginRequest),
    _row(QuestionRequest),
    _row(Approve),
    _row(Answer),
    _row(Deny),
    _row(Decision),
    *map(_row, get_args(AgentEvent)),
)

_BY_CLASS: Mapping[type, ClassForm] = MappingProxyType({form.cls: form for form in _ROWS})

FORMS: Mapping[str, ClassForm] = MappingProxyType({form.tag: form for form in _ROWS})
"""By what stands in `type`."""
