"""Structured answers have the form of their schema."""

import json
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from arc_plugins.models.offline.question import Question
from arc_plugins.models.offline.structured_answer import json_answer
from tests.arc_plugins.models.offline.exchanges import exchange

QUESTION = Question.read("What is 7 in Seoul?")
EXCHANGES = [
    exchange("current_time", "noon", place="Seoul"),
    exchange("calculate", "310", expression="12.5% of 2480"),
    exchange("weather", '{"degrees": 21.5, "sky": "clear"}', city="Seoul"),
]


class Report(BaseModel):
    """An answer of many types."""

    place: str
    calculate: int
    degrees: float
    sky: str
    summary: str = Field(max_length=5)
    stars: int = Field(le=5)
    kind: Literal["long", "short"]
    done: bool
    tags: list[str] = Field(min_length=1)
    source: str = "arc"
    parent: "Report | None" = None


class Node(BaseModel):
    """A form that contains itself without an end."""

    text: str
    next: "Node"


def answered(schema: dict[str, Any] | None) -> Any:
    """The parsed answer."""
    return json.loads(
        json_answer("The answer.", schema=schema, question=QUESTION, exchanges=EXCHANGES)
    )


def test_without_a_schema_the_text_is_the_answer() -> None:
    """An object with one field."""
    assert answered(None) == {"answer": "The answer."}


def test_a_model_is_satisfied() -> None:
    """Fields are filled from results and arguments of their names, else with what fits."""
    report = Report.model_validate(answered(Report.model_json_schema()))

    assert (report.place, report.sky, report.degrees) == ("Seoul", "clear", 21.5)
    assert (report.calculate, report.stars, report.done) == (310, 5, False)
    assert (report.summary, report.kind, report.tags) == ("The a", "long", ["The answer."])
    assert (report.source, report.parent) == ("arc", None)


def test_an_endless_form_ends() -> None:
    """A schema that demands itself for ever gets as much as is reasonable."""
    assert len(json.dumps(answered(Node.model_json_schema()))) < 1000


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "The answer."),
        ({"type": "number"}, 310),
        ({"type": "integer", "minimum": 1000}, 1000),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"type": "null"}, None),
        ({"const": 3}, 3),
        ({}, "The answer."),
    ],
)
def test_any_form_can_be_the_whole_answer(schema: dict[str, Any], value: object) -> None:
    """A schema need not be that of an object."""
    assert answered(schema) == value
