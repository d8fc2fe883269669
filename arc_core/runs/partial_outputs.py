"""Values of an answer in JSON that is still being written."""

from collections.abc import Callable
from typing import Any

from pydantic_core import from_json, to_json

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.events import (
    AgentEvent,
    AgentHandedOff,
    AgentStarted,
    RunFinished,
    TextDelta,
    ToolCallStarted,
)
from arc_core.output_types import OutputType

_MAX_CHARS = 250_000
_READS_PER_DOUBLING = 32
_MAX_CUTS = 8
_ENDS_OF_NUMBERS = "0123456789+-.eE"
_NOTHING = object()


class PartialAnswer:
    """Reads the beginning of an answer again and again while it grows.

    To read each piece of a long answer would take time with the square of its length: the longer it
    is, the more pieces are read together, and one of over 250 000 characters only at its end.

    Args:
        command: Of the run; has the type of the answer.
        output_by: Returns the type in which an agent of this name answers, None for a text; None
            if every agent answers in the command's type.
        deps: Those of the run, which validators of the type find as `info.context`.
    """

    def __init__(
        self,
        command: AgentCommand,
        output_by: Callable[[str], Any] | None = None,
        *,
        deps: object = None,
    ) -> None:
        self._output_by, self._deps = output_by, deps
        self._type: OutputType | None = OutputType.of(command.response_schema)
        self._is_json = command.response_format is ResponseFormat.JSON
        self._pieces: list[str] = []
        self._length, self._next_read = 0, 1

    def read_from(self, event: AgentEvent) -> tuple[Any, ...]:
        """The value of the answer so far, by an event of its run.

        Returns:
            One value; none if there is no valid one, or the answer has not grown enough.
        """
        match event:
            case TextDelta(text) if self._is_json:
                self._add(text)
                return self._read()
            case ToolCallStarted():  # what was said before it was not the answer
                self._pieces.clear()
                self._length, self._next_read = 0, 1
            case AgentStarted(agent) | AgentHandedOff(agent) if self._output_by is not None:
                declared = self._output_by(agent)
                self._type = None if declared is None else OutputType.of(declared)
            case RunFinished(result) if result.success and self._type is not None:
                return (result.output,)
        return ()

    def _add(self, text: str) -> None:
        self._length += len(text)
        if self._length <= _MAX_CHARS:
            self._pieces.append(text)

    def _read(self) -> tuple[Any, ...]:
        if self._type is None or not self._next_read <= self._length <= _MAX_CHARS:
            return ()
        self._next_read = self._length + 1 + self._length // _READS_PER_DOUBLING
        self._pieces = ["".join(self._pieces)]
        return _validate(self._type, _parse(_without_fence(self._pieces[0])), self._deps)


def _validate(expected: OutputType, value: Any, deps: object) -> tuple[Any, ...]:
    is_nothing = value is _NOTHING or (expected.is_wrapped and value == {})
    value = _NOTHING if is_nothing else expected.unwrap(value)
    for _ in range(_MAX_CUTS):
        if value is _NOTHING or _is_untagged(expected, value):
            return ()
        try:
            return (expected.validate(to_json(value), context=deps),)
        except Exception:  # noqa: BLE001 -- the type's own validators may raise anything
            value = _without_last(value)  # it may be valid without what is being written
    return ()


def _is_untagged(expected: OutputType, value: Any) -> bool:
    """Return whether it is still open which member of a union an object will be."""
    union = expected.union
    return union is not None and isinstance(value, dict) and union.tag not in value


def _parse(text: str) -> Any:
    """The value that a beginning of JSON has so far; a number counts once it has ended."""
    try:
        value = from_json(text, allow_partial="trailing-strings")
        if text[-1] in _ENDS_OF_NUMBERS and value == from_json(text, allow_partial=True):
            return from_json(text.rstrip(_ENDS_OF_NUMBERS), allow_partial="trailing-strings")
    except (ValueError, TypeError):  # it is not JSON, or has half a character
        return _NOTHING
    return value


def _without_fence(text: str) -> str:
    text = text.lstrip()
    return text.partition("\n")[2] if text.startswith(("```", "~~~")) else text


def _without_last(value: Any) -> Any:
    """The value without the innermost thing at its end."""
    if not isinstance(value, dict | list) or not value:
        return _NOTHING
    last = next(reversed(value)) if isinstance(value, dict) else len(value) - 1
    inner = _without_last(value[last])
    copy: Any = value.copy()
    if inner is _NOTHING:
        del copy[last]
    else:
        copy[last] = inner
    return copy
