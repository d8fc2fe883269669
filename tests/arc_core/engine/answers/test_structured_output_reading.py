"""Answers in JSON and YAML: the fence comes off, the rest is read strictly."""

from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from arc_core import AgentCommand, ResponseFormat
from arc_core.engine.answer import FinalAnswer
from arc_core.engine.answers.structured_output import Misfit, read_answer

Schema = type[BaseModel] | dict[str, Any] | None


class Weather(BaseModel):
    city: str
    degrees: float
    on: date | None = None

    @field_validator("degrees")
    @classmethod
    def _possible(cls, degrees: float) -> float:
        if degrees < -273:
            raise ValueError("colder than possible")
        return degrees


SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def command(response_format: ResponseFormat, schema: Schema = None) -> AgentCommand:
    """A command that asks for this form of answer."""
    return AgentCommand(
        user_prompt="Hello", response_format=response_format, response_schema=schema
    )


async def read(text: str, asked: AgentCommand) -> FinalAnswer | Misfit:
    """Read an answer of this text."""
    return await read_answer(FinalAnswer(content=text), asked)


def answered(document: str, output: object) -> FinalAnswer:
    """The answer that has been read."""
    return FinalAnswer(content=document, output=output, has_output=True)


JSON, YAML = ResponseFormat.JSON, ResponseFormat.YAML


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('\n\n  {"a": 1}\n', '{"a": 1}'),
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ('```\n{"a": 1}```', '{"a": 1}'),
        ('~~~ json\r\n{"a": 1}\r\n~~~\r\n', '{"a": 1}'),
        ('  ````json\n{"a": 1}\n  ````  ', '{"a": 1}'),
    ],
)
async def test_a_fence_around_json_is_taken_off(text: str, document: str) -> None:
    """The content is the document itself, as the model wrote it."""
    assert await read(text, command(JSON)) == answered(document, {"a": 1})


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("```yaml\na: 1\n```", "a: 1"),
        ("\n\n  a: 1\n  b: 2\n", "  a: 1\n  b: 2"),
        ("```yaml\n\n  a: 1\n  b: 2\n```", "  a: 1\n  b: 2"),
    ],
)
async def test_indentation_of_yaml_stays(text: str, document: str) -> None:
    """Blank lines and the fence go, the indentation of the first line does not."""
    reading = await read(text, command(YAML))

    assert isinstance(reading, FinalAnswer)
    assert reading.content == document


@pytest.mark.parametrize(
    "text",
    [
        'Here it is:\n```json\n{"a": 1}\n```',
        '```json\n{"a": 1}\n```\nAnything else?',
        '```json\n{"a": 1}\n```\n```json\n{"b": 1}\n```',
        '```json {"a": 1}```',
        "```",
    ],
)
async def test_more_than_one_fence_around_all_is_a_misfit(text: str) -> None:
    """What stands beside the document is not thrown away silently."""
    assert isinstance(await read(text, command(JSON)), Misfit)


async def test_a_fence_inside_a_string_stays() -> None:
    """Only what surrounds the document is taken off."""
    reading = await read('```json\n{"code": "```"}\n```', command(JSON))

    assert reading == answered('{"code": "```"}', {"code": "```"})


@pytest.mark.parametrize("text", ["", " \n\t", "```json\n```", "```json\n \n```"])
@pytest.mark.parametrize("response_format", [JSON, YAML])
async def test_nothing_is_a_misfit_without_problems(
    text: str, response_format: ResponseFormat
) -> None:
    """A blank answer has nothing that could be repaired."""
    assert await read(text, command(response_format)) == Misfit(())


@pytest.mark.parametrize(("text", "value"), [("null", None), ("3", 3), ('"a"', "a"), ("[]", [])])
async def test_json_may_be_any_value(text: str, value: object) -> None:
    """Without a schema every JSON value is an answer."""
    assert await read(text, command(JSON)) == answered(text, value)


@pytest.mark.parametrize(
    ("text", "response_format"),
    [
        ('{"city": "Seoul", "degrees": 21, "on": "2026-11-21"}', JSON),
        ("city: Seoul\ndegrees: 21\non: 2026-11-21", YAML),
    ],
)
async def test_a_class_gives_an_instance(text: str, response_format: ResponseFormat) -> None:
    """The output is an instance of the command's class, whatever the format."""
    reading = await read(text, command(response_format, Weather))

    expected = Weather(city="Seoul", degrees=21, on=date(2026, 11, 21))
    assert reading == answered(text, expected)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ('{"degrees": "hot"}', {"city: Field required", "degrees: Input should be a valid number"}),
        ("[]", {"answer: Input should be an object"}),
        ('{"city": "Seoul", "degrees": -300}', {"degrees: Value error, colder than possible"}),
    ],
)
async def test_what_the_class_refuses_is_told_by_field(text: str, problems: set[str]) -> None:
    """Each problem names its field, and what is wrong there."""
    reading = await read(text, command(JSON, Weather))

    assert isinstance(reading, Misfit)
    assert {problem.partition(", unable")[0] for problem in reading.problems} == problems


async def test_a_json_schema_gives_the_parsed_value() -> None:
    """With a schema as a mapping the output is the value that fits it."""
    reading = await read("city: Seoul", command(YAML, SCHEMA))

    assert reading == answered("city: Seoul", {"city": "Seoul"})


async def test_what_a_json_schema_refuses_is_told_by_place() -> None:
    """Each problem names its place, and what is wrong there."""
    reading = await read('{"town": "Seoul"}', command(JSON, SCHEMA))

    assert isinstance(reading, Misfit)
    assert "answer: 'city' is a required property" in reading.problems


async def test_problems_are_few_and_short() -> None:
    """An answer that is wrong everywhere is told of ten places, each in a few words."""

    class Numbers(BaseModel):
        values: dict[str, int]

    members = ",".join(f'"{"k" * 300}{number}": "x"' for number in range(1000))
    reading = await read(f'{{"values": {{{members}}}}}', command(JSON, Numbers))

    assert isinstance(reading, Misfit)
    assert len(reading.problems) == 10
    assert max(map(len, reading.problems)) <= 302
