"""Values of answers that are still being written."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, field_validator

from arc_autoconfig import Application
from arc_autoconfig.runs.options import command_of
from arc_core import (
    Agent,
    AgentResult,
    ResponseFormat,
    RunFinished,
    TextDelta,
    ToolCall,
    ToolCallStarted,
)
from arc_core.runs.partial_outputs import PartialAnswer
from arc_core.testing import ScriptedChatModel


class Line(BaseModel):
    article: str
    price: float


HAND_OVER = [ToolCall("c1", "transfer_to_billing", "{}")]


class Invoice(BaseModel):
    customer: str
    lines: list[Line] = []
    state: Literal["open", "paid"] = "open"


@dataclass
class Point:
    x: int
    y: int = 0


def values(declared: Any, *pieces: str) -> list[Any]:
    """What is read after each piece, if there is something."""
    answer = PartialAnswer(command_of("Hi", output=declared))
    return [value for piece in pieces for value in answer.read_from(TextDelta(piece))]


def test_a_text_grows() -> None:
    """What is being written is there as far as it goes."""
    pieces = ('{"customer": "A', 'nn"', "}")

    found = values(Invoice, *pieces)

    assert [invoice.customer for invoice in found] == ["A", "Ann", "Ann"]


def test_a_list_grows_by_what_is_valid() -> None:
    """A line without its price is not there yet."""
    pieces = ('{"customer": "Ann", "lines": [{"article"', ': "tea"', ', "price": 1.5', "}, {")

    found = values(Invoice, *pieces)

    assert [len(invoice.lines) for invoice in found] == [0, 0, 0, 1]


def test_a_number_counts_once_it_has_ended() -> None:
    """12 is not said to be 1 before it is 12."""
    found = values(Point, '{"x": 1', "2", ', "y": 3', "4}")

    assert found == [Point(12), Point(12, 34)]


def test_a_word_that_is_not_whole_yet_is_left_out() -> None:
    """The default stays, until the word is one of those that are allowed."""
    found = values(Invoice, '{"customer": "Ann", "state": "pa', 'id"')

    assert [invoice.state for invoice in found] == ["open", "paid"]


@pytest.mark.parametrize("before", ["", '{"answer": ', "```json\n", '```json\n{"answer":'])
def test_a_list_is_read_with_or_without_what_is_around_it(before: str) -> None:
    """The object that a vendor needs, and a Markdown fence."""
    found = values(list[str], f'{before}["a", "b')

    assert found == [["a", "b"]]


def test_there_is_no_value_before_there_is_anything() -> None:
    """The opening of the object around an answer is not an empty answer."""
    assert values(str | list[int], "{", '"ans', 'wer": ') == []


@pytest.mark.parametrize("text", ["Sure!", "[1, 2]", "```", "\ud83d", '{"x": "no number"', ""])
def test_what_does_not_become_valid_has_no_value(text: str) -> None:
    """And nothing is raised: the end of the run says what is wrong."""
    assert values(Point, text) == []


def test_text_before_a_tool_call_is_not_the_answer() -> None:
    """Each turn is read from its own beginning."""
    answer = PartialAnswer(command_of("Hi", output=Point))
    answer.read_from(TextDelta("Let me look. {"))

    answer.read_from(ToolCallStarted(ToolCall("1", "look", "{}")))

    assert answer.read_from(TextDelta('{"x": 1}')) == (Point(1),)


def test_yaml_has_the_last_value_only() -> None:
    """A beginning of YAML means something else than the whole."""
    answer = PartialAnswer(
        command_of("Hi", output=Point, options={"response_format": ResponseFormat.YAML})
    )
    result = AgentResult(success=True, output=Point(1))

    assert answer.read_from(TextDelta("x: 1")) == ()
    assert answer.read_from(RunFinished(result)) == (Point(1),)


def test_a_failed_run_has_no_last_value() -> None:
    """What was invalid stays so."""
    answer = PartialAnswer(command_of("Hi", output=Point))

    assert answer.read_from(RunFinished(AgentResult(success=False))) == ()


def test_a_long_answer_is_not_read_at_every_piece() -> None:
    """The work grows with its length, and not with the square of it."""
    pieces = ['["', *(["word "] * 10_000)]

    found = values(list[str], *pieces)

    assert len(found) < 400
    assert len(found[-1][0]) > 48_000


def test_an_answer_without_end_is_not_read_any_further() -> None:
    """Neither its text is kept nor its values are made."""
    assert values(list[str], '["' + "x" * 250_000, "x") == []


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(json_values, max_size=4), st.data())
def test_whatever_the_pieces_are_nothing_is_raised(whole: list[Any], data: st.DataObject) -> None:
    """Every value on the way is of the type, and the whole answer is the whole value."""
    text = json.dumps({"answer": whole})
    cut = data.draw(st.integers(0, len(text)))

    found = values(list[Any], text[:cut], text[cut:])

    assert all(isinstance(value, list) for value in found)
    assert values(list[Any], text)[-1] == whole


class Share(BaseModel):
    parts: list[int]

    @field_validator("parts")
    @classmethod
    def divide(cls, parts: list[int]) -> list[int]:
        """Raise what pydantic does not turn into a ValidationError, while the first one is 0."""
        return [1 // parts[0], *parts[1:]]


def test_a_validator_that_raises_does_not_end_the_reading() -> None:
    """What it cannot check yet is not valid yet."""
    found = values(Share, '{"parts": [0, ', "2, ", "3]}")

    assert found == []


async def test_after_a_handoff_values_are_of_the_agent_that_answers() -> None:
    """As the result is."""
    agents = [
        Agent("support", tools=[], output=Invoice, handoffs=["billing"]),
        Agent("billing", tools=[], output=Point),
    ]

    found = await outputs_of(agents, [HAND_OVER, '{"x": 1, "y": 2}'])

    assert found == [Point(1), Point(1, 2)]


async def test_an_agent_that_answers_in_text_has_no_partial_outputs() -> None:
    """None is not a value of the type that was asked for."""
    agents = [
        Agent("support", tools=[], output=Invoice, handoffs=["billing"]),
        Agent("billing", tools=[]),
    ]

    assert await outputs_of(agents, [HAND_OVER, "It is paid."]) == []


async def test_a_session_that_was_handed_over_has_values_of_its_agent() -> None:
    """Also if the agent that was asked never says a word."""
    agents = [
        Agent("support", tools=[], output=Invoice, handoffs=["billing"]),
        Agent("billing", tools=[], output=Point),
    ]
    model = ScriptedChatModel([HAND_OVER, '{"x": 1}', '{"x": 2}'])

    async with Application(register=[model, *agents], plugins=False) as app:
        await app.agent("support").execute("Hi", session_id="s-1")
        async with app.agent("support").stream("And now?", session_id="s-1") as run:
            found = [value async for value in run.partial_outputs()]

    assert found == [Point(2)]


async def outputs_of(agents: Iterable[object], turns: list[Any]) -> list[Any]:
    """The partial outputs of a run of the first agent."""
    model = ScriptedChatModel(turns)
    async with (
        Application(register=[model, *agents], plugins=False) as app,
        app.agent("support").stream("Hi") as run,
    ):
        return [value async for value in run.partial_outputs()]
