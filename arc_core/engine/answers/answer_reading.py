"""Reads a JSON or YAML answer, and checks it against what the command asked for."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.engine.answers.schema_checks import MAX_VALUES, find_problems, has_too_many_values
from arc_core.engine.answers.strict_json import MalformedTextError, parse_json
from arc_core.output_types import OutputType
from arc_core.tools.threads import NoThreadFreeError, compute_in_thread

_MAX_CHARS = 1_000_000
_MAX_CHARS_AT_ONCE = {ResponseFormat.JSON: 20_000, ResponseFormat.YAML: 4000}
_YAML_MARKS = (",", "[", "{", "\n")
_MAX_COUNTED_PROBLEMS = 2000
_MAX_PROBLEMS = 10
_MAX_PLACE_CHARS = 100
_MAX_PROBLEM_CHARS = 200
_ROOT = "answer"
_BUSY = f"{_ROOT}: it cannot be read now, too many other answers are being read"

_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)+")
_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)[^`\n]*+\n")


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer that is what the command asked for.

    Attributes:
        content: The document itself, without a fence around it; of a type that was asked for inside
            an object, JSON is taken out of it.
        output: A value of the command's type, else the parsed value.
    """

    content: str
    output: Any


@dataclass(frozen=True, slots=True)
class Misfit:
    """An answer that is not what the command asked for.

    Attributes:
        problems: What is wrong with it, for the model; none where it says nothing at all.
    """

    problems: tuple[str, ...]


async def read_answer(text: str, command: AgentCommand, *, deps: Any = None) -> ReadAnswer | Misfit:
    """Read an answer strictly, in the format and by the schema of the command.

    A long one is read in a thread, and one that is too long not at all. One Markdown fence may
    stand around it. Validators of the type find `deps` as `info.context`.
    """
    if problem := _size_problem(text, command.response_format):
        return Misfit((problem,))
    reading: ReadAnswer | Misfit
    if len(text) <= _MAX_CHARS_AT_ONCE[command.response_format]:
        reading = _read_document(text, command, deps)
    else:
        try:
            reading = await compute_in_thread(_read_document, text, command, deps)
        except NoThreadFreeError:
            return Misfit((_BUSY,))
    schema = command.response_schema
    if isinstance(reading, Misfit) or not isinstance(schema, Mapping):
        return reading
    problems = await find_problems(reading.output, schema, root=_ROOT)
    return Misfit(tuple(problems)) if problems else reading


def _size_problem(text: str, form: ResponseFormat) -> str | None:
    if len(text) > _MAX_CHARS:
        return f"{_ROOT}: it has more than {_MAX_CHARS} characters; make it shorter"
    is_yaml = form is ResponseFormat.YAML
    if has_too_many_values(text, marks=_YAML_MARKS) if is_yaml else has_too_many_values(text):
        return f"{_ROOT}: it has more than {MAX_VALUES} values; make it shorter"
    return None


def _read_document(text: str, command: AgentCommand, deps: Any) -> ReadAnswer | Misfit:
    """The value, checked by the type of the command if it names one."""
    is_json = command.response_format is ResponseFormat.JSON
    document = _document_in(text).lstrip() if is_json else _document_in(text)
    if not document:
        return Misfit(())
    try:
        value = parse_json(document) if is_json else _parse_yaml(document)
    except MalformedTextError as error:
        return Misfit((str(error)[:_MAX_PROBLEM_CHARS],))
    declared = command.response_schema
    if declared is None or isinstance(declared, Mapping):
        return ReadAnswer(document, value)
    expected = OutputType.of(declared)
    answer = expected.unwrap(value)
    if answer is value:
        text = document if is_json else json.dumps(value)
        return _read_as_type(expected, document, as_json=text, deps=deps)
    text = json.dumps(answer, ensure_ascii=False)
    return _read_as_type(expected, text if is_json else document, as_json=text, deps=deps)


def _parse_yaml(document: str) -> Any:
    # A fifth of Arc's own start-up, which only programs that ask for YAML have to pay.
    from arc_core.engine.answers.strict_yaml import parse_yaml  # noqa: PLC0415

    return parse_yaml(document)


def _read_as_type(
    expected: OutputType, document: str, *, as_json: str, deps: Any
) -> ReadAnswer | Misfit:
    try:
        return ReadAnswer(document, expected.validate(as_json, context=deps))
    except ValidationError as error:
        if (count := error.error_count()) > _MAX_COUNTED_PROBLEMS:  # pydantic makes all or none
            return Misfit((f"{_ROOT}: {count} fields do not fit the schema",))
        every = error.errors(include_url=False, include_context=False, include_input=False)
        return Misfit(tuple(_describe(each, expected) for each in every[:_MAX_PROBLEMS]))


def _describe(error: ErrorDetails, expected: OutputType) -> str:
    place = expected.get_place(error["loc"]) or _ROOT
    return f"{place[:_MAX_PLACE_CHARS]}: {error['msg'][:_MAX_PROBLEM_CHARS]}"


def _document_in(text: str) -> str:
    """The text without blank lines and a Markdown fence around it; indentation stays."""
    text = _strip_blank_lines(text)
    opening = _FENCE.match(text)
    if opening is None or not text.endswith(opening[1], opening.end()):
        return text
    return _strip_blank_lines(text[opening.end() :].removesuffix(opening[1]))


def _strip_blank_lines(text: str) -> str:
    before = _BLANK_LINES.match(text)
    return text[before.end() if before else 0 :].rstrip()
