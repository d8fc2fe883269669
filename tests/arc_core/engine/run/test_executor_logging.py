"""The logging context: each run's own, in all that it touches, and no other run's."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from structlog.contextvars import bound_contextvars, get_contextvars

from arc_core import (
    Agent,
    AgentCommand,
    AgentResult,
    Allowed,
    Document,
    Guard,
    GuardRequest,
    GuardResult,
    Hook,
    HookContext,
    Retriever,
    ToolCall,
    ToolContext,
    tool,
)
from arc_core.log import get_logger
from arc_core.testing import ScriptedChatModel, scripted_agent
from tests.arc_core.engine.entry_points import EVERY_ENTRY_POINT, EntryPoint, events_of, executed
from tests.arc_core.engine.suspending import SuspendingAgent, Suspension

logger = get_logger("components")


class Chatty(Guard, Hook, Retriever):
    """A component that logs whom it works for wherever it is asked, and lets others in between."""

    order = 100

    async def _log(self, whom: str) -> None:
        logger.info("before", whom=whom)
        await asyncio.sleep(0)
        logger.info("after", whom=whom)

    async def check(self, request: GuardRequest) -> GuardResult:
        await self._log(request.user_id)
        return Allowed()

    async def before_agent_start(self, context: HookContext) -> None:
        await self._log(context.user_id)

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        await self._log(context.user_id)

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        await self._log(query)
        return ()


@tool
async def async_tool(context: ToolContext) -> str:
    """Logs in the loop."""
    await asyncio.sleep(0)
    logger.info("tool", whom=context.user_id)
    return "logged"


@tool
def sync_tool(context: ToolContext) -> str:
    """Logs in a thread."""
    logger.info("thread", whom=context.user_id)
    return "logged"


@pytest.fixture(autouse=True)
def _level(caplog: pytest.LogCaptureFixture) -> None:
    """What Arc tells by default is seen."""
    caplog.set_level(logging.INFO, "arc")


CALLS = [ToolCall("1", "async_tool", "{}"), ToolCall("2", "sync_tool", "{}")]


def command(user: str) -> AgentCommand:
    """A run of this user, whose prompt is the user's name."""
    return AgentCommand(user_prompt=user, user_id=user, session_id=f"session of {user}")


def facts_of(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """What the components' records carry besides their messages."""
    return [vars(record) for record in caplog.records if record.name == "arc.components"]


@EVERY_ENTRY_POINT
async def test_two_users_never_mix(
    entry_point: EntryPoint, caplog: pytest.LogCaptureFixture
) -> None:
    """No record of one run carries the ids of another, though they run in turns."""
    chatty = Chatty()
    agent = scripted_agent(
        ScriptedChatModel([*[CALLS] * 10, *["Done."] * 10]),
        guards=(chatty,),
        hooks=(chatty,),
        retriever=chatty,
        tools=(async_tool, sync_tool),
    )

    async with asyncio.TaskGroup() as group:
        for number in range(10):
            group.create_task(entry_point(agent, command(f"user-{number}")))

    facts = facts_of(caplog)
    assert len(facts) == 10 * 10
    assert all(each["user_id"] == each["whom"] for each in facts)
    assert all(each["session_id"] == f"session of {each['whom']}" for each in facts)
    assert len({(each["user_id"], each["run_id"]) for each in facts}) == 10


@EVERY_ENTRY_POINT
async def test_the_caller_keeps_its_own_context(
    entry_point: EntryPoint, caplog: pytest.LogCaptureFixture
) -> None:
    """What the caller has bound is in the run's records, and nothing of the run in the caller's."""
    chatty = Chatty()
    agent = scripted_agent(ScriptedChatModel(["Done."]), hooks=(chatty,))

    with bound_contextvars(request_id="r-1", user_id="caller"):
        await entry_point(agent, command("ann"))
        left = get_contextvars()

    assert left == {"request_id": "r-1", "user_id": "caller"}
    assert {(each["request_id"], each["user_id"]) for each in facts_of(caplog)} == {("r-1", "ann")}


async def test_a_reader_has_no_context_of_the_run_between_pieces() -> None:
    """What a reader logs while it streams is its own."""
    agent = scripted_agent(ScriptedChatModel(["It is sunny."]))

    seen = [get_contextvars() async for _ in agent.execute_stream(command("ann"))]

    assert seen == [{}, {}, {}]


async def test_a_run_within_a_run_has_its_own_ids(caplog: pytest.LogCaptureFixture) -> None:
    """The outer run's ids are back when the inner one has ended."""
    inner = scripted_agent(ScriptedChatModel(["Done."]), hooks=(Chatty(),))

    @tool
    async def ask(context: ToolContext) -> str:
        await inner.execute(command("inner"))
        logger.info("tool", whom=context.user_id)
        return "asked"

    model = ScriptedChatModel([[ToolCall("1", "ask", "{}")], "Done."])
    await scripted_agent(model, tools=(ask,)).execute(command("outer"))

    facts = facts_of(caplog)
    assert [each["user_id"] for each in facts] == ["inner"] * 4 + ["outer"]
    assert all(each["user_id"] == each["whom"] for each in facts)


@pytest.mark.parametrize("entry_point", [executed, events_of])
async def test_a_cancelled_run_leaves_no_context(entry_point: EntryPoint) -> None:
    """The task that was cancelled has the context it had before."""
    agent, left = SuspendingAgent(Suspension("tool")), dict[str, Any]()

    async def caller() -> None:
        try:
            await entry_point(agent.executor, command("ann"))
        finally:
            left.update(get_contextvars())

    with bound_contextvars(request_id="r-1"):
        task = asyncio.create_task(caller())
    await agent.suspension.held.wait()
    task.cancel()
    await asyncio.wait({task})

    assert left == {"request_id": "r-1"}


@EVERY_ENTRY_POINT
async def test_a_run_without_a_user_is_logged_as_anonymous(
    entry_point: EntryPoint, caplog: pytest.LogCaptureFixture
) -> None:
    """A blank user id is the same bucket in the log as everywhere."""
    agent = scripted_agent(ScriptedChatModel(["Done."]), hooks=(Chatty(),))

    await entry_point(agent, AgentCommand(user_prompt="Hello", user_id=" "))

    assert {each["user_id"] for each in facts_of(caplog)} == {"anonymous"}


async def test_a_run_of_an_agent_that_was_asked_names_the_run_above(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """In all its records, which the run above does not take over."""
    turns: list[Any] = [[ToolCall("1", "ask_clerk", '{"task": "Well?"}')], "Yes.", "Done."]
    agents = Agent("boss", delegates=["clerk"]), Agent("clerk")
    agent = scripted_agent(ScriptedChatModel(turns), hooks=(Chatty(),), agents=agents)

    result = await agent.execute(command("ann").model_copy(update={"agent": "boss"}))

    facts = [(each["agent"], each.get("parent_run_id")) for each in facts_of(caplog)]
    boss, clerk = ("boss", None), ("clerk", result.run_id)
    assert facts == [*[boss] * 2, *[clerk] * 4, *[boss] * 2]
