"""Many agents in one application."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.errors import ComponentError, UnknownNameError
from arc_core import (
    Agent,
    AgentErrorCode,
    AssistantMessage,
    ChatModel,
    ChatRequest,
    ConfigurationError,
    FunctionTool,
    Hook,
    HookContext,
    Inject,
    Limits,
    RunContext,
    Tool,
    ToolCall,
    ToolOutcome,
    ToolResultMessage,
    service,
    tool,
)
from arc_core.testing import RecordingHook, ScriptedChatModel
from tests.arc_autoconfig.installed import PackageIndex


@dataclass(frozen=True)
class CurrentUser:
    """What a caller hands to a run."""

    name: str


@tool
async def who(user: Inject[CurrentUser]) -> str:
    """Says who asks."""
    return user.name


WHO = [ToolCall("2", "who", "{}")]


@service
class Database:
    """Something of the application."""

    name = "orders"


@service(scope="run")
class Session:
    """One per run."""

    def __init__(self, context: RunContext, db: Database) -> None:
        self.text = f"{context.agent} on {db.name}"


@tool
async def wired() -> str:
    """Is offered to all agents."""
    return "wired"


@tool
async def look(db: Inject[Database], session: Inject[Session]) -> str:
    """Looks something up."""
    return f"{db.name}, {session.text}"


def application(model: ChatModel, *components: object, **settings: Any) -> Application:
    """With a model and some components."""
    return Application(
        ArcSettings(_isolated=True, **settings), register=[model, wired, *components]
    )


def tool_names(request: ChatRequest) -> list[str]:
    """What a request offers."""
    return [each.name for each in request.tools]


async def test_an_unknown_agent_ends_the_run_and_names_the_known_ones() -> None:
    """Hooks hear of the end, and no model is asked."""
    hook, model = RecordingHook(), ScriptedChatModel([])

    async with application(model, Agent("refunds"), hook) as app:
        result = await app.execute("Hi", agent="refund")

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert result.error_message == "There is no agent 'refund'; agents: default, refunds."
    assert hook.names == ["after_agent_complete"]


async def test_without_an_agent_the_settings_answer() -> None:
    """As if there were no agents at all."""
    model = ScriptedChatModel(["Hello."])

    async with application(model, Agent("refunds", instructions="Refund.")) as app:
        result = await app.execute("Hi")

    assert result.agent == "default"
    assert model.requests[0].system_prompt == app.settings.llm.system_prompt


async def test_instructions_and_own_tools_are_filled_as_tools_are() -> None:
    """Once from the application, and for each run from the run."""

    async def write(db: Inject[Database], session: Inject[Session]) -> str:
        return f"{db.name}; {session.text}"

    agent = Agent("x", instructions=write, tools=[look])
    model = ScriptedChatModel([[ToolCall("1", "look", "{}")], "Done."])

    async with application(model, agent, Database, Session) as app:
        await app.agent(agent).execute("Hi")

    assert model.requests[0].system_prompt == "orders; x on orders"
    assert "orders, x on orders" in str(model.requests[1].messages[-1])


async def test_a_parameter_that_nothing_fills_stops_the_start() -> None:
    """The error names the agent, the tool and the parameter."""
    with pytest.raises(ConfigurationError, match=r"x, parameter 'look\.db'"):
        async with application(ScriptedChatModel([]), Agent("x", tools=[look])):
            pass


async def test_a_tool_that_does_not_exist_stops_the_start() -> None:
    """The nearest name is proposed."""
    with pytest.raises(ConfigurationError, match="write 'wired'"):
        async with application(ScriptedChatModel([]), Agent("x", tools=["wierd"])):
            pass


async def test_an_agent_that_is_not_wired_cannot_be_asked() -> None:
    """By its name or itself."""
    async with application(ScriptedChatModel([]), Agent("x")) as app:
        with pytest.raises(UnknownNameError, match="known names: default, x"):
            app.agent("refunds")
        with pytest.raises(ComponentError, match="another agent"):
            app.agent(Agent("x", model="careful"))


async def test_the_smallest_number_of_tool_calls_holds() -> None:
    """Of agent and settings; the model is told."""
    calls = [ToolCall("1", "wired", "{}"), ToolCall("2", "wired", "{}")]
    model, agent = ScriptedChatModel([calls, "Done."]), Agent("x", limits=Limits(max_tool_calls=1))

    async with application(model, agent, limits={"max_tool_calls": 5}) as app:
        result = await app.agent(agent).execute("Hi")

    outcomes = [each.outcome for m in result.messages for each in getattr(m, "results", ())]
    assert outcomes == [ToolOutcome.SUCCESS, ToolOutcome.LIMIT_REACHED]
    assert model.requests[1].tool_choice == "none"


class Waiting(Hook):
    """Waits until the run is over."""

    async def before_agent_start(self, context: HookContext) -> None:
        await asyncio.Event().wait()


@pytest.mark.parametrize("says", ["command", "agent", "settings"])
async def test_the_shortest_deadline_ends_a_run(says: str) -> None:
    """Of command, agent and settings."""
    agent_s, command_s = (0.01 if each == says else 20 for each in ("agent", "command"))
    settings: Any = {"limits": {"deadline_s": 0.01}} if says == "settings" else {}
    agent = Agent("x", limits=Limits(deadline_s=agent_s))

    async with application(ScriptedChatModel([]), agent, Waiting(), **settings) as app:
        result = await app.agent(agent).execute("Hi", limits=Limits(deadline_s=command_s))

    assert result.error_code is AgentErrorCode.TIMEOUT


async def test_everything_that_watches_a_run_knows_its_agent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Hooks, logs, results."""
    hook = RecordingHook()
    caplog.set_level(logging.INFO)
    model = ScriptedChatModel([[ToolCall("1", "nope", "{}")], ValueError("broken")])

    async with application(model, Agent("x"), hook) as app:
        result = await app.agent("x").execute("Hi")

    [(_, context)] = [call for call in hook.calls if call[0] == "before_agent_start"]
    assert isinstance(context, HookContext)
    assert (context.agent, hook.response.agent, result.agent) == ("x", "x", "x")
    assert {vars(each).get("agent") for each in caplog.records if each.name == "arc.runs"} == {"x"}


async def test_agents_share_neither_cached_answers_nor_prefixes() -> None:
    """Even if they ask the model the same; one agent shares its own."""
    model = ScriptedChatModel(["One.", "Two."])
    settings: Any = {"cache": {"enabled": True}, "llm": {"temperature": 0}}

    async with application(model, Agent("x"), Agent("y"), **settings) as app:
        answers = [
            (await app.agent(name).execute("Hi", session_id=f"s{number}")).content
            for number, name in enumerate(["x", "y", "x", "y"])
        ]

    assert answers == ["One.", "Two.", "One.", "Two."]
    keys = {request.cache_key for request in model.requests}
    assert len(keys) == 2


async def test_an_agent_of_a_package_is_found_by_its_entry_point(packages: PackageIndex) -> None:
    """And one of the settings goes before it."""
    source = "from arc_core import Agent\nx = Agent('x', model='a')\ny = Agent('y', model='a')\n"
    packages.install("acme", modules={"acme": source}, arc__agents={"x": "acme:x", "y": "acme:y"})
    settings = ArcSettings(agents={"y": {"model": "b"}})
    model = ScriptedChatModel(["One.", "Two."])

    async with Application(settings, register=[model]) as app:
        results = [await app.agent(name).execute("Hi") for name in ("x", "y")]

    assert [each.model for each in results] == ["a", "b"]
    [loser] = app.report.decision(Agent).losers
    assert (
        loser.reason == "stands back for y (settings, keyword argument agents.y) of the same name"
    )


async def test_an_entry_point_is_called_as_its_agent(packages: PackageIndex) -> None:
    """Commands name the agent, and settings the entry point."""
    source = "from arc_core import Agent\nx = Agent('x')\n"
    packages.install("acme", modules={"acme": source}, arc__agents={"z": "acme:x"})

    with pytest.raises(ComponentError, match="calls itself 'x'"):
        async with Application(ArcSettings()):
            pass


AGENTS = 20
RUNS = 500


def own_tool(number: int) -> FunctionTool:
    """The tool that one agent has, and no other."""

    @tool(name=f"tool_{number}")
    async def function() -> str:
        """Answers with its number."""
        return f"result {number}"

    return function


def instructions_of(number: int) -> str | Callable[..., str]:
    """A text for every other agent, else a function."""

    def write() -> str:
        return f"prompt {number}"

    return write if number % 2 else write()


def crowd() -> list[Agent]:
    """Agents that differ in everything."""
    return [
        Agent(
            f"agent_{number}",
            instructions=instructions_of(number),
            model=f"model {number}",
            tools=[own_tool(number)],
        )
        for number in range(AGENTS)
    ]


def answer(request: ChatRequest) -> AssistantMessage | list[ToolCall] | str:
    """A call of the agent's tool, and then an answer."""
    number = str(request.system_prompt).removeprefix("prompt ")
    if len(request.messages) == 1:
        return [ToolCall("1", f"tool_{number}", "{}")]
    return f"answer {number}"


def strangers_in(requests: Iterable[ChatRequest]) -> list[ChatRequest]:
    """The requests that have anything of another agent than the one that the prompt names."""
    return [
        request
        for request in requests
        if (number := str(request.messages[0]).split("for ")[1].split("'")[0])
        and (request.system_prompt, request.model, tool_names(request))
        != (f"prompt {number}", f"model {number}", [f"tool_{number}"])
    ]


@pytest.mark.slow
async def test_no_agent_has_anything_of_another() -> None:
    """500 runs over 20 agents at once, with the same prompts."""
    model = ScriptedChatModel([answer] * RUNS * 2)
    concurrency = {"max_concurrent_requests": 100}
    agents: Sequence[Agent] = crowd()

    async with application(model, *agents, concurrency=concurrency) as app:
        async with asyncio.TaskGroup() as group:
            runs = [
                group.create_task(
                    app.agent(agents[number % AGENTS]).execute(
                        f"for {number % AGENTS}", session_id=f"s{number}"
                    )
                )
                for number in range(RUNS)
            ]
        results = [run.result() for run in runs]

    assert len(model.requests) == RUNS * 2
    assert strangers_in(model.requests) == []
    assert [(each.agent, each.content, each.tools_used) for each in results] == [
        (f"agent_{n % AGENTS}", f"answer {n % AGENTS}", (f"tool_{n % AGENTS}",))
        for n in range(RUNS)
    ]


def test_the_tools_of_agents_are_not_wired() -> None:
    """So that no other agent gets them."""
    app = application(ScriptedChatModel([]), Agent("x", tools=[look]))

    assert [each.name for each in app.report.winners(Tool)] == ["wired"]


async def test_agents_of_settings_ask_each_other() -> None:
    """As deep as `agents.max_depth` says; the tables of agents stand beside it."""
    model = ScriptedChatModel(
        [[ToolCall("1", "ask_refunds", '{"task": "Go."}')], "Ten.", "It is ten."]
    )
    tables = {"boss": {"delegates": ["refunds"]}, "refunds": {"instructions": "Refund."}}
    settings = ArcSettings(agents={"max_depth": 1, **tables})

    async with Application(settings, register=[model]) as app:
        result = await app.agent("boss").execute("Help.")

    assert result.content == "It is ten."
    assert model.requests[1].system_prompt == "Refund."


async def test_a_stream_reads_the_run_that_was_asked() -> None:
    """Its text and its result are not those of the agents that it asks."""
    model = ScriptedChatModel([[ToolCall("1", "ask_one", '{"task": "Go."}')], "One.", "Done."])
    register = [Agent("boss", delegates=["one"], tools=[]), Agent("one", tools=[]), model]

    async with Application(register=register) as app, app.agent("boss").stream("Help.") as run:
        texts = [text async for text in run.text()]
        result = await run.result()

    assert ("".join(texts), result.content) == ("Done.", "Done.")


async def test_a_delegated_run_has_what_its_caller_was_given() -> None:
    """Its tools get the same `deps`, which no model is shown."""
    model = ScriptedChatModel([[ToolCall("1", "ask_one", '{"task": "Who?"}')], WHO, "ann", "ann"])
    register = [Agent("boss", delegates=["one"], tools=[]), Agent("one", tools=[who]), model]

    async with Application(register=register, plugins=False) as app:
        result = await app.agent("boss").execute("Who?", deps=CurrentUser("ann"))

    assert result.content == "ann"
    results = model.requests[2].messages[-1]
    assert isinstance(results, ToolResultMessage)
    assert results.results[0].text == "ann"
