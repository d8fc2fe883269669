"""Runs that a program's own tools ask for: they belong to the run that called the tool."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    AgentExecutor,
    AgentResult,
    AgentStarted,
    Approve,
    ChatRequest,
    HookContext,
    Inject,
    Lazy,
    Limits,
    RunContext,
    TextDelta,
    ToolCall,
    ToolResultMessage,
    tool,
)
from arc_core.testing import RecordingHook, ScriptedChatModel

AT_ONCE = 20
EXPERT = Agent("expert", instructions="You know it.", tools=["look", "pay"])
DESK = Agent("desk", instructions="You ask.", tools=["ask*"])
COMMAND = AgentCommand(
    user_prompt="Go.", agent="desk", user_id="ann", tenant_id="acme", metadata={"order": 7}
)
STARTED: list[asyncio.Event] = []


@tool
async def ask(question: str, executor: Inject[Lazy[AgentExecutor]]) -> str:
    """Ask the expert."""
    agent = await executor.get()
    result = await agent.execute(AgentCommand(user_prompt=question, agent="expert"))
    return str(result.unwrap())


@tool
async def ask_all(questions: list[str], executor: Inject[Lazy[AgentExecutor]]) -> list[str]:
    """Ask the expert several things at once."""
    agent = await executor.get()
    commands = [AgentCommand(user_prompt=each, agent="expert") for each in questions]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(agent.execute(each)) for each in commands]
    return [str(task.result().unwrap()) for task in tasks]


@tool
async def ask_and_read(question: str, executor: Inject[Lazy[AgentExecutor]]) -> str:
    """Ask the expert, and read the answer as it comes."""
    agent = await executor.get()
    command = AgentCommand(user_prompt=question, agent="expert")
    async with aclosing(agent.execute_stream(command)) as pieces:
        return "".join([piece async for piece in pieces])


@tool
async def ask_aside(question: str, executor: Inject[Lazy[AgentExecutor]]) -> str:
    """Have the expert asked, and do not wait for it."""
    agent = await executor.get()
    command = AgentCommand(user_prompt=question, agent="expert")
    ASIDE.append(asyncio.create_task(agent.execute(command)))
    return "asked"


ASIDE: list[asyncio.Task[AgentResult]] = []


@tool
async def look() -> str:
    """Hang."""
    STARTED[-1].set()
    await asyncio.Event().wait()
    return ""


@tool(needs_approval=True)
async def pay(run: Inject[RunContext]) -> str:
    """Pay."""
    return f"paid for {run.user_id}"


@pytest.fixture(autouse=True)
def _begin_anew() -> None:
    STARTED[:] = [asyncio.Event()]
    ASIDE.clear()


def answering(request: ChatRequest, how: str, expert: Any = "It is so.") -> Any:
    """The desk asks in one way, and then says what it was told."""
    said = [each for each in request.messages if isinstance(each, ToolResultMessage)]
    if request.system_prompt == "You know it.":
        return said[-1].results[0].text if said else expert
    question = '{"questions": ["A?", "B?"]}' if how == "ask_all" else '{"question": "Is it so?"}'
    return said[-1].results[0].text if said else [ToolCall("1", how, question)]


def model_of(how: str = "ask", expert: Any = "It is so.", turns: int = 200) -> ScriptedChatModel:
    """A model for both."""
    return ScriptedChatModel([lambda request: answering(request, how, expert)] * turns)


@asynccontextmanager
async def opened(model: ScriptedChatModel, *more: object, **settings: Any) -> AsyncIterator[Any]:
    """An application with both agents."""
    tools = (ask, ask_all, ask_and_read, ask_aside, look, pay)
    parts = (model, EXPERT, DESK, *tools, *more)
    known = ArcSettings(_isolated=True, **settings)
    async with Application(known, register=parts, plugins=False) as app:
        yield app


async def hanging() -> None:
    """Wait until the expert's tool has begun."""
    await STARTED[-1].wait()


CALLS_LOOK = [ToolCall("2", "look", "{}")]
CALLS_PAY = [ToolCall("2", "pay", "{}")]


@pytest.mark.parametrize("how", ["ask", "ask_all", "ask_and_read"])
async def test_runs_that_ask_by_a_tool_do_not_block_each_other_on_permits(how: str) -> None:
    """As many at once as there are permits: those below share the permit of the one above."""
    settings = {"acquire_timeout_s": 0.2}
    async with opened(model_of(how), concurrency=settings) as app, asyncio.TaskGroup() as group:
        runs = [group.create_task(app.execute(COMMAND)) for _ in range(AT_ONCE)]

    assert {"It is so." in str(run.result().content) for run in runs} == {True}


async def test_a_run_asked_by_a_tool_has_its_parent_user_tenant_and_metadata() -> None:
    """As a run of `ask_expert` has, unless the tool says otherwise."""
    hook = RecordingHook()

    async with opened(model_of(), hook) as app:
        result = await app.execute(COMMAND)

    below = next(
        each for _, each in hook.calls if isinstance(each, HookContext) and each.agent == "expert"
    )
    assert below.parent_run_id == result.run_id
    assert (below.user_id, below.tenant_id, below.metadata) == ("ann", "acme", {"order": 7})


@pytest.mark.parametrize(("how", "calls"), [("ask", 3), ("ask_all", 4), ("ask_and_read", 3)])
async def test_usage_of_runs_asked_by_a_tool_counts_in_the_tree(how: str, calls: int) -> None:
    """With the run that called the tool, as its limits do."""
    async with opened(model_of(how)) as app:
        result = await app.execute(COMMAND)

    assert result.token_usage.total_tokens == 15 * calls


async def test_limits_bind_the_runs_that_a_tool_asks_for() -> None:
    """What they use counts."""
    limited = COMMAND.model_copy(update={"limits": Limits(max_model_calls=2)})
    model = model_of()

    async with opened(model) as app:
        await app.execute(limited)

    assert [request.tool_choice for request in model.requests] == ["auto", "auto", "none"]


async def test_a_cancellation_reaches_the_runs_below() -> None:
    """Their hooks are told, too."""
    hook = RecordingHook()

    async with opened(model_of(expert=CALLS_LOOK), hook) as app:
        run = asyncio.create_task(app.execute(COMMAND))
        await hanging()
        run.cancel()
        await asyncio.wait([run])

    codes = [each.error_code for _, each in hook.calls if isinstance(each, AgentResult)]
    assert codes == [AgentErrorCode.CANCELLED] * 2


async def test_the_deadline_of_a_run_ends_the_runs_below() -> None:
    """They have none that is longer."""
    hook = RecordingHook()
    limited = COMMAND.model_copy(update={"limits": Limits(deadline_s=0.2)})

    async with opened(model_of(expert=CALLS_LOOK), hook) as app:
        result = await app.execute(limited)

    codes = [each.error_code for _, each in hook.calls if isinstance(each, AgentResult)]
    assert result.error_code is AgentErrorCode.TIMEOUT
    assert codes == [AgentErrorCode.CANCELLED, AgentErrorCode.TIMEOUT]


async def test_a_run_waits_for_what_its_tools_have_begun() -> None:
    """Its result has all that was used; nothing goes on behind it."""
    async with opened(model_of("ask_aside")) as app:
        result = await app.execute(COMMAND)

        assert [task.done() for task in ASIDE] == [True]
    assert result.content == "asked"
    assert result.token_usage.total_tokens == 45


async def test_what_a_tool_has_begun_ends_with_the_deadline_of_its_run() -> None:
    """The answer that there is already is kept."""
    limited = COMMAND.model_copy(update={"limits": Limits(deadline_s=0.3)})

    async with opened(model_of("ask_aside", expert=CALLS_LOOK)) as app:
        result = await app.execute(limited)

    assert result.content == "asked"
    assert ASIDE[0].cancelled()


async def test_a_task_that_outlives_its_run_asks_on_its_own() -> None:
    """It needs a permit, and has no run above."""
    hook, ended = RecordingHook(), asyncio.Event()
    later: list[asyncio.Task[AgentResult]] = []

    @tool
    async def ask_later(question: str, executor: Inject[Lazy[AgentExecutor]]) -> str:
        """Ask when the run has ended."""
        agent = await executor.get()

        async def wait_and_ask() -> AgentResult:
            await ended.wait()
            return await agent.execute(AgentCommand(user_prompt=question, agent="expert"))

        later.append(asyncio.create_task(wait_and_ask()))
        return "later"

    async with opened(model_of("ask_later"), hook, ask_later) as app:
        await app.execute(COMMAND)
        ended.set()
        result = await later[0]

    contexts = [each for _, each in hook.calls if isinstance(each, HookContext)]
    assert result.success
    assert {each.parent_run_id for each in contexts if each.run_id == result.run_id} == {None}


async def test_events_of_runs_asked_by_a_tool_arrive_in_the_stream() -> None:
    """Marked with their agent and the run above, as those of `ask_expert` are."""
    async with opened(model_of()) as app, app.stream(COMMAND) as run:
        events = [event async for event in run.events()]
        result = await run.result()

    started = next(each for each in events if isinstance(each, AgentStarted) and each.parent_run_id)
    below = [each for each in events if each.run_id == started.run_id]
    assert (started.agent, started.parent_run_id) == ("expert", result.run_id)
    assert "".join(each.text for each in below if isinstance(each, TextDelta)) == "It is so."


async def test_runs_that_ask_each_other_are_bound_in_depth() -> None:
    """By `agents.max_depth`, as delegates are; the innermost is refused."""
    hook = RecordingHook()
    model = ScriptedChatModel(
        [lambda request: answering(request, "ask", [ToolCall("1", "ask", '{"question": "?"}')])] * 9
    )
    expert = Agent("expert", instructions="You know it.", tools=["ask"])

    async with Application(
        ArcSettings(_isolated=True, agents={"max_depth": 2}),
        register=[model, expert, Agent("desk", tools=["ask"]), ask, hook],
        plugins=False,
    ) as app:
        await app.execute(COMMAND)

    codes = [each.error_code for _, each in hook.calls if isinstance(each, AgentResult)]
    assert codes[0] is AgentErrorCode.LIMIT_REACHED
    assert len(codes) == 4


@pytest.mark.parametrize("how", ["ask", "ask_all", "ask_and_read"])
async def test_a_run_waits_for_approval_of_a_call_below_it(how: str) -> None:
    """The tool is called again once it is decided; what was done below is not done again."""
    model = model_of(how, expert=CALLS_PAY)

    async with opened(model) as app:
        waiting = await app.execute(COMMAND)
        for request in waiting.waiting:
            await app.decide(request.run_id, request.key, Approve(), by="boss")
        async with app.attach(waiting.run_id) as run:
            result = await run.result()

    assert {request.tool for request in waiting.waiting} == {"pay"}
    assert "paid for ann" in result.content
    asked = [each for each in model.requests if each.system_prompt == "You know it."]
    assert len(asked) == 2 * len(waiting.waiting)
    assert result.token_usage.total_tokens == 15 * len(model.requests)


async def test_a_tool_may_ask_the_application_itself() -> None:
    """It is the same engine; a stream of it belongs to the run, too."""
    apps: list[Application] = []

    @tool
    async def ask_app(question: str) -> str:
        """Ask the expert."""
        async with apps[0].agent("expert").stream(question) as run:
            return str((await run.result()).unwrap())

    async with opened(model_of("ask_app"), ask_app) as app:
        apps.append(app)
        result = await app.execute(COMMAND)

    assert result.content == "It is so."
    assert result.token_usage.total_tokens == 45


def test_a_synchronous_tool_may_ask_the_blocking_application() -> None:
    """Its thread knows which run it works for."""
    apps: list[Any] = []

    @tool
    def ask_blocking(question: str) -> str:
        """Ask the expert."""
        return str(apps[0].execute(question, agent="expert").unwrap())

    known = ArcSettings(_isolated=True, concurrency={"max_concurrent_requests": 1})
    parts = (model_of("ask_blocking"), Agent("expert", instructions="You know it.", tools=[]))
    desk = Agent("desk", tools=["ask_blocking"])
    app = Application(known, register=(*parts, desk, ask_blocking), plugins=False)
    with app.blocking() as blocking:
        apps.append(blocking)
        result = blocking.execute(COMMAND)

    assert result.content == "It is so."
    assert result.token_usage is not None
    assert result.token_usage.total_tokens == 45
