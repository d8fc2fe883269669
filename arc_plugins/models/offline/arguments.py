"""Fills the arguments of a tool from a question, guided by the tool's JSON Schema."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arc_core import Tool
from arc_plugins.models.offline.json_schema import properties_of, required_of, resolved, type_of
from arc_plugins.models.offline.names import zone_named
from arc_plugins.models.offline.question import Question
from arc_plugins.models.offline.words import phrases_without, words_of

__all__ = ["argument_sets"]

_MAX_CALLS = 4
_MAX_DEPTH = 5
_MAX_ITEMS = 20

_EXPRESSION = words_of("expression formula equation calculation")
_ZONE = words_of("timezone zone tz")
_PLACE = _ZONE | words_of("city place location country region town area origin destination")
_TEXT = words_of("query text question message prompt content input search topic body q sentence")
_PATTERNS = [
    (words_of("email mail"), re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")),
    (words_of("url uri link website"), re.compile(r"https?://[^\s\"'<>]+")),
    (words_of("date day"), re.compile(r"\b\d{4}-\d\d-\d\d\b")),
]


def argument_sets(tool: Tool, question: Question) -> list[dict[str, Any]]:
    """The arguments of each call of a tool that a question asks for; none where some are missing.

    A tool for one place or one expression is called once for each that the question names.
    """
    root = tool.parameters
    kinds = [_kind(name, resolved(field, root)) for name, field in properties_of(root).items()]
    questions = [question]
    if _EXPRESSION in kinds:
        questions = [replace(question, expressions=(one,)) for one in question.expressions]
    elif kinds.count(_PLACE) == 1 and question.places:
        questions = [replace(question, names=(one,)) for one in question.places]
    sets = []
    for one in questions[:_MAX_CALLS]:
        arguments = _Filler(tool, one).filled(root)
        if arguments is not None:
            sets.append(arguments)
    return sets


def _kind(name: str, schema: Mapping[str, Any]) -> frozenset[str]:
    """What a text parameter is for, by its name, or else by its description."""
    for words in (words_of(name), words_of(str(schema.get("description", "")))):
        for kind in (_EXPRESSION, _PLACE, _TEXT):
            if words & kind:
                return kind
    return frozenset()


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    schema: Mapping[str, Any]
    is_required: bool
    depth: int


class _Filler:
    """Fills one set of arguments; every name and number is used once."""

    def __init__(self, tool: Tool, question: Question) -> None:
        self._root = tool.parameters
        self._question = question
        self._numbers = list(question.numbers)
        self._quoted = list(question.quoted)
        own_words = words_of(tool.name)
        self._names = [name for name in question.names if not words_of(name) <= own_words]
        self._phrases = list(phrases_without(question.text, own_words | words_of(tool.description)))

    def filled(self, schema: Mapping[str, Any], *, depth: int = 0) -> dict[str, Any] | None:
        """The fields of an object; None where the question lacks a required one."""
        required = required_of(schema)
        values: dict[str, Any] = {}
        properties = properties_of(schema)
        for name in sorted(properties, key=lambda name: name not in required):
            field = resolved(properties[name], self._root)
            value = self._value(_Parameter(name, field, name in required, depth))
            if value is not None:
                values[name] = value
            elif name in required:
                return None
        return {name: values[name] for name in properties if name in values}

    def _value(self, parameter: _Parameter) -> Any:
        """A value from the question; None where it gives none."""
        schema = parameter.schema
        if "const" in schema:
            return schema["const"]
        if isinstance(schema.get("enum"), list):
            return self._choice(parameter, schema["enum"])
        return self._typed(parameter)

    def _typed(self, parameter: _Parameter) -> Any:
        kind = type_of(parameter.schema)
        if kind == "string":
            return self._text(parameter)
        if kind in {"integer", "number"}:
            return self._number(parameter, is_integer=kind == "integer")
        if kind == "boolean":
            is_said = self._is_mentioned(parameter)
            return is_said if is_said or parameter.is_required else None
        return self._compound(parameter, is_object=kind == "object")

    def _choice(self, parameter: _Parameter, options: Sequence[Any]) -> Any:
        text = self._question.text
        for option in options:
            if re.search(rf"(?<!\w){re.escape(str(option))}(?!\w)", text, re.IGNORECASE):
                return option
        return options[0] if parameter.is_required and options else None

    def _text(self, parameter: _Parameter) -> str | None:
        own_words = words_of(parameter.name) | words_of(str(parameter.schema.get("format", "")))
        for words, pattern in _PATTERNS:
            if words & own_words:
                found = pattern.search(self._question.text)
                return found[0] if found else None
        kind = _kind(parameter.name, parameter.schema)
        is_wanted = parameter.is_required or self._is_mentioned(parameter)
        if kind == _EXPRESSION:
            return next(iter(self._question.expressions), None)
        if kind == _PLACE:
            place = _first(self._names, self._phrases if parameter.is_required else [])
            self._quoted = [quoted for quoted in self._quoted if quoted != place]
            return (zone_named(place) if place and own_words & _ZONE else None) or place
        if kind == _TEXT and is_wanted:
            return next(iter(self._question.quoted), self._question.text)
        return _first(self._quoted, self._names, self._phrases) if is_wanted else None

    def _number(self, parameter: _Parameter, *, is_integer: bool) -> int | float | None:
        if not parameter.is_required and not self._is_mentioned(parameter):
            return None
        for text in self._numbers:
            number = float(text) if "." in text else int(text)
            if is_integer and isinstance(number, float):
                continue
            if _in_bounds(number, parameter.schema):
                self._numbers.remove(text)
                return number
        return None

    def _compound(self, parameter: _Parameter, *, is_object: bool) -> Any:
        if not parameter.is_required or parameter.depth >= _MAX_DEPTH:
            return None
        if is_object:
            return self.filled(parameter.schema, depth=parameter.depth + 1)
        items = resolved(parameter.schema.get("items"), self._root)
        item = _Parameter(parameter.name, items, is_required=True, depth=parameter.depth + 1)
        values: list[Any] = []
        while len(values) < _MAX_ITEMS:
            value = self._value(item)
            if value is None or value in values:
                break
            values.append(value)
        return values or None

    def _is_mentioned(self, parameter: _Parameter) -> bool:
        return bool(words_of(parameter.name) & self._question.words)


def _first(*sources: list[str]) -> str | None:
    """The first of the first source that has any; it is used up."""
    return next((source.pop(0) for source in sources if source), None)


def _in_bounds(number: float, schema: Mapping[str, Any]) -> bool:
    low, high = schema.get("minimum"), schema.get("maximum")
    is_high_enough = not isinstance(low, int | float) or number >= low
    return is_high_enough and (not isinstance(high, int | float) or number <= high)
