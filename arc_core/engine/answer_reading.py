"""What a JSON or YAML answer says, and whether it is what the command asked for."""

import json
import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.engine.strict_json import MalformedTextError, parse_json
from arc_core.json_schema import problems_of

__all__ = ["Misfit", "ReadAnswer", "read_answer"]

_MAX_PROBLEMS = 10
_MAX_PLACE_CHARS = 100
_MAX_PROBLEM_CHARS = 200
_ROOT = "answer"

_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)+")
_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)[^`\n]*+\n")


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer that is what the command asked for.

    Attributes:
        content: The document itself, without a fence around it.
        output: An instance of the command's class, else the parsed value.
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


def read_answer(text: str, command: AgentCommand) -> ReadAnswer | Misfit:
    """Read an answer strictly, in the format and by the schema of the command.

    Args:
        text: May have one Markdown fence around it, and nothing else.
        command: With a format other than text.
    """
    is_json = command.response_format is ResponseFormat.JSON
    document = _document_in(text).lstrip() if is_json else _document_in(text)
    if not document:
        return Misfit(())
    try:
        value = parse_json(document) if is_json else _parse_yaml(document)
    except MalformedTextError as error:
        return Misfit((str(error),))
    schema = command.response_schema
    if isinstance(schema, type):
        return _of_class(schema, document, as_json=document if is_json else json.dumps(value))
    problems = problems_of(value, schema, root=_ROOT) if schema is not None else ()
    return Misfit(tuple(problems)) if problems else ReadAnswer(document, value)


def _parse_yaml(document: str) -> Any:
    # A fifth of Arc's own start-up, which only programs that ask for YAML have to pay.
    from arc_core.engine.strict_yaml import parse_yaml  # noqa: PLC0415

    return parse_yaml(document)


def _of_class(cls: type[BaseModel], document: str, *, as_json: str) -> ReadAnswer | Misfit:
    try:
        return ReadAnswer(document, cls.model_validate_json(as_json))
    except ValidationError as error:
        every = error.errors(include_url=False, include_context=False, include_input=False)
        return Misfit(tuple(map(_described, every[:_MAX_PROBLEMS])))


def _described(error: ErrorDetails) -> str:
    place = ".".join(map(str, error["loc"])) or _ROOT
    return f"{place[:_MAX_PLACE_CHARS]}: {error['msg'][:_MAX_PROBLEM_CHARS]}"


def _document_in(text: str) -> str:
    """The text without blank lines and a Markdown fence around it; indentation stays."""
    text = _without_blank_lines(text)
    opening = _FENCE.match(text)
    if opening is None or not text.endswith(opening[1], opening.end()):
        return text
    return _without_blank_lines(text[opening.end() :].removesuffix(opening[1]))


def _without_blank_lines(text: str) -> str:
    before = _BLANK_LINES.match(text)
    return text[before.end() if before else 0 :].rstrip()
