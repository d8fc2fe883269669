"""No stage of a run holds the event loop for long, whatever is put into it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from pydantic import BaseModel

from arc_core import (
    AgentCommand,
    Allowed,
    AssistantMessage,
    OutputGuard,
    OutputGuardRequest,
    Rejected,
    ResponseFormat,
    ToolArgumentsError,
    ToolCall,
    ToolCallFinished,
    UserMessage,
    tool,
)
from arc_core.engine.answer import FinalAnswer
from arc_core.engine.answers.schema_checks import parse_arguments, peek_arguments
from arc_core.engine.answers.structured_output import read_answer
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.context.window import ConversationWindow, Histories
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.tool_calls.tool_output import render, retry_text
from arc_core.testing import CharacterEstimator, ScriptedChatModel, scripted_agent
from arc_core.text.masking import mask_secrets

MOST_S = 0.05
KEYS = 300_000
NUMBERS = list(range(90_000))
MANY_NUMBERS = list(range(1_000_000))
NAMES = {f"db_token{number}": number for number in range(30_000)}
ROWS = [{"id": number, "tags": ["a"]} for number in range(100_000)]
JSON_OBJECTS = "[" + ",".join('{"a":1}' for _ in range(10_000)) + "]"
WRONG_ITEMS = json.dumps({"numbers": ["x"] * 45_000})
WRONG_LISTS = '{"numbers": [' + "[]," * 80_000 + "[]]}"
AS_MANY_WRONG_LISTS = '{"numbers": [' + "[]," * 24_990 + "[]]}"
HISTORY = [UserMessage("x" * 1000), AssistantMessage("y" * 1000)] * 5000


@tool
async def count(numbers: list[int] | None = None) -> str:
    """Counts."""
    return str(len(numbers or ()))


class Answer(BaseModel):
    """What a model is asked for, and what a tool returns."""

    numbers: list[int]


class Schema:
    """A tool that brings a JSON Schema, as those of MCP servers do."""

    name, description, timeout_s = "schema", "Takes a number.", None
    parameters: dict[str, Any] = {  # noqa: RUF012 -- never changed
        "type": "object",
        "properties": {"number": {"type": "integer"}},
        "additionalProperties": False,
    }

    async def call(self, arguments: object, context: object) -> str:
        return "done"


def unknown_keys(number: int) -> str:
    """Arguments that no tool has."""
    return json.dumps({f"k{index}": index for index in range(number)})


def refuse(offered: Any, text: str) -> str:
    """What the model is told of arguments that do not fit."""
    with pytest.raises(ToolArgumentsError) as refused, asyncio.Runner() as runner:
        runner.run(parse_arguments(offered, text))
    return str(refused.value)


def read(text: str) -> object:
    """How an answer of the most characters is read that is not read in a thread."""
    command = AgentCommand(
        user_prompt="?", response_format=ResponseFormat.JSON, response_schema=Answer
    )
    with pytest.raises(StopIteration) as ended:
        read_answer(FinalAnswer(content=text), command).send(None)
    return ended.value.value


def trim(history: Any) -> int:
    """How many messages do not fit into a window."""
    costs = TokenCosts(CharacterEstimator(), boundary=Boundary())
    return (
        ConversationWindow(Histories(costs).read(history), UserMessage("?"), costs=costs)
        .view(128_000)
        .dropped
    )


STAGES: dict[str, Callable[[], object]] = {
    "wrong items": lambda: refuse(count, WRONG_ITEMS),
    "wrong lists": lambda: refuse(count, WRONG_LISTS),
    "as many wrong lists as there may be": lambda: refuse(count, AS_MANY_WRONG_LISTS),
    "a long history": lambda: trim(HISTORY),
    "a long output": lambda: render("x" * 50_000_000, max_chars=50_000),
    "a large output": lambda: render(MANY_NUMBERS, max_chars=50_000),
    "a large output of objects": lambda: render(ROWS, max_chars=50_000),
    "a large object": lambda: render(Answer(numbers=NUMBERS), max_chars=50_000),
    "large arguments in a log": lambda: mask_secrets(NAMES),
    "a long answer": lambda: read(JSON_OBJECTS[:20_000].rpartition(",")[0] + "]"),
    "a wrong answer": lambda: read('{"numbers": [' + "[]," * 6000 + "1]}"),
    "a long failure": lambda: retry_text("://a:" * 1_000_000, max_chars=50_000),
}


def seconds_of(stage: Callable[[], object]) -> float:
    """Processor time of this thread, so that a busy machine costs nothing; the best of three."""
    stage()
    times = []
    for _ in range(3):
        began = time.thread_time()
        stage()
        times.append(time.thread_time() - began)
    return min(times)


@pytest.mark.timing
@pytest.mark.parametrize("name", STAGES)
def test_no_stage_holds_the_event_loop(name: str) -> None:
    """Not for longer than 50 ms."""
    assert seconds_of(STAGES[name]) < MOST_S


@pytest.mark.timing
@pytest.mark.parametrize("number", [15_000, KEYS])
@pytest.mark.parametrize("offered", [count, Schema()], ids=["function", "schema"])
def test_unknown_keys_do_not_hold_the_event_loop(offered: Any, number: int) -> None:
    """Not for longer than 50 ms, within the limit of the arguments and beyond it."""
    text = unknown_keys(number)

    assert seconds_of(lambda: refuse(offered, text)) < MOST_S
    assert seconds_of(lambda: peek_arguments(text)) < MOST_S


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 50, 1000, KEYS])
@pytest.mark.parametrize("offered", [count, Schema()], ids=["function", "schema"])
def test_what_the_model_is_told_of_arguments_is_bounded(offered: Any, number: int) -> None:
    """However many keys it has invented."""
    assert 0 < len(refuse(offered, unknown_keys(number))) < 2000


def test_history_that_cannot_fit_is_not_counted() -> None:
    """Counting ends with the first turn that does not fit."""
    asked: list[str] = []

    class Counting(CharacterEstimator):
        def estimate(self, text: str) -> int:
            asked.append(text)
            return len(text)

    costs = TokenCosts(Counting(), boundary=Boundary())
    history = [UserMessage("x" * 10) for _ in range(1000)]

    view = ConversationWindow(Histories(costs).read(history), UserMessage("?"), costs=costs).view(
        101
    )

    assert view.dropped == 990
    assert len(asked) == 12


def test_a_long_text_is_counted_by_its_beginning() -> None:
    """And by its length: the estimator is never given more than 200 000 characters."""
    longest: list[int] = []

    class Counting(CharacterEstimator):
        def estimate(self, text: str) -> int:
            longest.append(len(text))
            return len(text)

    assert TokenCosts(Counting(), boundary=Boundary()).of_text("x" * 10_000_001) == 10_000_001
    assert longest == [200_000]


async def test_a_flood_of_tool_calls_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    """Of 100 000 calls of one turn a hundred are refused one by one, the rest in one log line."""
    flood = [ToolCall(str(index), "count", "{}") for index in range(100_000)]
    model = ScriptedChatModel([AssistantMessage("", tuple(flood)), "Done."])
    agent = scripted_agent(model, tools=(count,))
    command = AgentCommand(user_prompt="Count.", max_tool_calls=3)

    result = await agent.execute(command)

    assert result.content == "Done."
    sent = model.requests[1].messages[-2]
    assert isinstance(sent, AssistantMessage)
    assert len(sent.tool_calls) == 103
    assert len([each for each in caplog.records if each.name == "arc.turns"]) == 1


class WatchingGuard(OutputGuard):
    """Lets everything leave, and counts what it was asked about."""

    window_chars: int | None = 0

    def __init__(self) -> None:
        self.asked = 0

    async def check(self, request: OutputGuardRequest) -> Allowed | Rejected:
        self.asked += 1
        return Allowed()


@pytest.mark.parametrize("is_guarded", [False, True], ids=["unguarded", "guarded"])
@pytest.mark.parametrize("streams", [False, True], ids=["execute", "stream"])
async def test_a_flood_of_tool_calls_leaves_the_loop_to_others(
    *, streams: bool, is_guarded: bool
) -> None:
    """Pieces that come without a pause make one now and then, and few calls are guarded."""
    flood = [ToolCall(str(index), "gone", "{}") for index in range(10_000)]
    guard, turns = WatchingGuard(), 0
    guards = (guard,) if is_guarded else ()
    model = ScriptedChatModel([flood, "Done."])
    agent = scripted_agent(model, tools=(count,), output_guards=guards)
    command = AgentCommand(user_prompt="Count.")

    async def run() -> None:
        async for _ in agent.execute_stream(command) if streams else whole(agent, command):
            pass

    running = asyncio.create_task(run())
    while not running.done():
        turns += 1
        await asyncio.sleep(0)
    await running

    assert turns > 3 * len(flood) / 256 or not streams
    assert guard.asked < 1_000


async def whole(agent: Any, command: AgentCommand) -> AsyncIterator[str]:
    """The answer as a stream of one piece."""
    yield (await agent.execute(command)).content


async def test_a_flood_of_tool_calls_is_not_a_flood_of_events() -> None:
    """Each call that is answered has its events, and no other has."""
    flood = [ToolCall(str(index), "gone", "{}") for index in range(1000)]
    agent = scripted_agent(ScriptedChatModel([flood, "Done."]), tools=(count,))

    events = [event async for event in agent.stream_events(AgentCommand(user_prompt="Count."))]

    assert len([event for event in events if isinstance(event, ToolCallFinished)]) == 110
