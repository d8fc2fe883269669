"""YAML as far as it says what JSON can: the one door to PyYAML.

A plain scalar is what JSON reads in it, else text, so that `no`, `012` and `2026-11-21` stay what
the model wrote. Documents are read event by event: nothing is constructed but the values of JSON,
depth is bounded, and so is what aliases expand to.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import yaml

from arc_core.engine.answers.schema_checks import (
    MalformedTextError,
    build_object,
    parse_json,
    read_number,
)

_MAX_DEPTH = 100
_MAX_EXPANDED_CHARS = 250_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_WORDS = {"": None, "~": None} | {
    spelling: value
    for word, value in (("null", None), ("true", True), ("false", False))
    for spelling in (word, word.capitalize(), word.upper())
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.inf|\.nan", re.IGNORECASE)


def parse_yaml(text: str) -> dict[str, Any] | list[Any]:
    """The value of a YAML document, made of what JSON can carry.

    Raises:
        MalformedTextError: It is none, or a bare scalar, or more than one; has a key twice in one
            mapping, or one that is not a scalar; has a tag, `.inf` or `.nan`; or is nested too
            deeply or grows too large by aliases.
    """
    try:
        value = _Reader(yaml.parse(text, Loader=_LOADER)).document()
    except yaml.MarkedYAMLError as error:
        if text.lstrip()[:1] in ("{", "["):  # not every JSON document is one of YAML 1.1
            with suppress(MalformedTextError):
                return parse_json(text)  # type: ignore[no-any-return]
        mark = error.problem_mark
        place = f" at line {mark.line + 1} column {mark.column + 1}" if mark else ""
        raise MalformedTextError(f"Invalid YAML{place}: {error.problem}") from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise MalformedTextError("Invalid YAML: a character is not allowed") from error
    if not isinstance(value, dict | list):
        raise MalformedTextError("The YAML must be a mapping or a list, not a bare value")
    return value


class _Reader:
    """Reads the events of one document.

    Attributes:
        size: Characters and collections so far, aliases expanded.
    """

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self._events = events
        self._anchored: dict[str, tuple[Any, int]] = {}
        self.size = 0

    def document(self) -> Any:
        next(self._events)  # start of the stream
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        value = self._read_value(next(self._events), depth=1)
        next(self._events)  # end of the document
        if not isinstance(next(self._events), yaml.StreamEndEvent):
            raise MalformedTextError("There is more than one YAML document")
        return value

    def _read_value(self, event: yaml.Event, *, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise MalformedTextError("Invalid YAML: it is nested too deeply")
        if isinstance(event, yaml.AliasEvent):
            return self._expand(event)
        size = self.size
        value = self._read_node(event, depth=depth)
        self.size += 1
        if anchor := getattr(event, "anchor", None):
            self._anchored[anchor] = (value, self.size - size)
        return value

    def _read_node(self, event: yaml.Event, *, depth: int) -> Any:
        match event:
            case yaml.ScalarEvent():
                return self._read_scalar(event)
            case yaml.SequenceStartEvent(tag=tag):
                _check_tag(tag, "seq")
                return list(self._read_items(depth))
            case yaml.MappingStartEvent(tag=tag):
                _check_tag(tag, "map")
                return build_object(list(self._read_members(depth)))
        raise AssertionError(f"the parser never gives {event!r} here")

    def _expand(self, alias: yaml.AliasEvent) -> Any:
        if alias.anchor not in self._anchored:
            raise MalformedTextError(f"The alias *{alias.anchor} refers to nothing before it")
        value, size = self._anchored[alias.anchor]
        self.size += size
        if self.size > _MAX_EXPANDED_CHARS:
            raise MalformedTextError("The YAML grows too large by its aliases")
        return value

    def _read_items(self, depth: int) -> Iterator[Any]:
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._read_value(event, depth=depth + 1)

    def _read_members(self, depth: int) -> Iterator[tuple[str, Any]]:
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise MalformedTextError("A key of a YAML mapping must be a plain word or text")
            self.size += len(event.value)
            yield event.value, self._read_value(next(self._events), depth=depth + 1)

    def _read_scalar(self, event: yaml.ScalarEvent) -> Any:
        text: str = event.value
        self.size += len(text)
        is_plain, _ = event.implicit
        if event.tag is None and is_plain:
            return _read_plain(text)
        _check_tag(event.tag, "str")
        return text


def _check_tag(tag: str | None, expected: str) -> None:
    if tag not in {None, "!", _TAG + expected}:
        raise MalformedTextError(f"The YAML tag {tag!r} is not allowed")


def _read_plain(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        try:
            return int(text)
        except ValueError as error:
            raise MalformedTextError("Invalid YAML: a number is too long") from error
    if _NUMBER.fullmatch(text):
        return read_number(text)
    if _NO_NUMBER.fullmatch(text):
        raise MalformedTextError(f"{text} is not a number that JSON can carry")
    return text
