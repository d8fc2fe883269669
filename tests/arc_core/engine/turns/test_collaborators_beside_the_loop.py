"""What takes long is done beside the event loop, which goes on meanwhile."""

import asyncio
import json
from collections.abc import Awaitable, Mapping
from typing import Any

import pytest
from pydantic import BaseModel

from arc_core import AgentCommand, AgentErrorCode, ResponseFormat, ToolArgumentsError
from arc_core.engine.answer import FinalAnswer
from arc_core.engine.answers.schema_checks import parse_arguments
from arc_core.engine.answers.structured_output import Misfit, read_answer
from arc_core.testing import ScriptedChatModel, scripted_agent

LEAST_TURNS = 2  # what is done on the loop itself takes two turns at most
HOSTILE: dict[str, Any] = {
    "type": "object",
    "properties": {"rows": {"items": {"anyOf": [{"const": [n]} for n in range(1000)]}}},
}
ROWS = json.dumps({"rows": [[999]] * 5000})


class Tool:
    """Brings a schema, as tools of MCP servers do."""

    name, description = "rows", "Takes rows."
    timeout_s: float | None = None

    def __init__(self, schema: dict[str, Any]) -> None:
        self.parameters: Mapping[str, Any] = schema

    async def call(self, arguments: object, context: object) -> str:
        return "done"


class Numbers(BaseModel):
    """What an answer should be."""

    numbers: list[int]


async def turns_during(work: Awaitable[object]) -> tuple[object, int]:
    """The outcome of some work, and how many turns the event loop made before it."""
    turns, task = 0, asyncio.ensure_future(work)
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    return task.exception() or task.result(), turns


def asked(form: ResponseFormat, schema: Any = None) -> AgentCommand:
    """A command whose answer has a form."""
    return AgentCommand(user_prompt="?", response_format=form, response_schema=schema)


@pytest.mark.slow
async def test_a_hostile_schema_does_not_hold_the_event_loop() -> None:
    """Its check is given up as before, and the event loop makes its turns until then."""
    outcome, turns = await turns_during(parse_arguments(Tool(HOSTILE), ROWS))

    assert isinstance(outcome, ToolArgumentsError)
    assert "too much work" in str(outcome)
    assert turns > LEAST_TURNS


async def test_a_long_check_that_ends_has_the_same_outcome() -> None:
    """Whether a check takes a thread is only a matter of time."""
    schema = {"type": "object", "properties": {"rows": {"items": {"type": "array"}}}}

    outcome, turns = await turns_during(parse_arguments(Tool(schema), ROWS))

    assert outcome == json.loads(ROWS)
    assert turns > 1


async def test_a_large_schema_is_read_beside_the_event_loop() -> None:
    """Reading it takes long too, for the first time."""
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(5000)}}

    outcome, turns = await turns_during(parse_arguments(Tool(schema), "{}"))

    assert outcome == {}
    assert turns > LEAST_TURNS


def test_a_short_check_waits_for_nothing() -> None:
    """The usual arguments take no thread and no turn of the event loop."""
    with pytest.raises(StopIteration) as ended:
        parse_arguments(Tool(HOSTILE), '{"rows": []}').send(None)

    assert ended.value.value == {"rows": []}


async def test_a_long_check_can_be_cancelled() -> None:
    """The caller does not wait for the thread."""
    task = asyncio.create_task(parse_arguments(Tool(HOSTILE), ROWS))
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    task.cancel()
    await asyncio.wait([task])

    assert task.cancelled()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "text"),
    [
        (ResponseFormat.JSON, json.dumps([{"a": number} for number in range(20_000)])),
        (ResponseFormat.YAML, "- a: 1\n" * 10_000),
    ],
)
async def test_a_large_answer_is_read_beside_the_event_loop(
    form: ResponseFormat, text: str
) -> None:
    """And is the same value."""
    reading, turns = await turns_during(read_answer(FinalAnswer(content=text), asked(form)))

    assert isinstance(reading, FinalAnswer)
    assert len(reading.output) >= 10_000
    assert turns > LEAST_TURNS


@pytest.mark.parametrize("form", [ResponseFormat.JSON, ResponseFormat.YAML])
@pytest.mark.parametrize("text", ["[" + "1," * 60_000 + "1]", '["' + "x" * 2_000_000 + '"]'])
async def test_too_large_an_answer_is_not_read(form: ResponseFormat, text: str) -> None:
    """The model is told so, in one short sentence."""
    reading = await read_answer(FinalAnswer(content=text), asked(form))

    assert isinstance(reading, Misfit)
    assert [len(problem) < 100 for problem in reading.problems] == [True]


async def test_the_repair_of_a_large_answer_is_asked_for_in_few_words() -> None:
    """However long the answer and what is wrong with it are."""
    model = ScriptedChatModel(["!" + "x" * 500_000 + " [a]", "still: no"])
    agent = scripted_agent(model)

    result = await agent.execute(asked(ResponseFormat.YAML, Numbers))

    assert result.error_code is AgentErrorCode.INVALID_RESPONSE
    assert len(model.requests[1].messages[-1].content) < 25_000  # type: ignore[union-attr]


async def test_an_answer_wrong_in_many_places_has_one_problem() -> None:
    """Pydantic describes all places or none, and describing many takes long."""
    text = json.dumps({"numbers": ["x"] * 20_000})

    reading = await read_answer(FinalAnswer(content=text), asked(ResponseFormat.JSON, Numbers))

    assert reading == Misfit(("answer: 20000 fields do not fit the schema",))
