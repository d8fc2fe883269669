"""An application from its making to its close."""

import asyncio
import logging
from typing import Any

import pytest
from dependency_injector import providers

from arc_autoconfig import Application, ArcContainer, ArcSettings
from arc_autoconfig.errors import (
    ApplicationStateError,
    ComponentError,
    UnknownNameError,
    WiringFrozenError,
)
from arc_core import (
    AgentCommand,
    AssistantMessage,
    ChatModel,
    ConversationManager,
    FunctionTool,
    Guard,
    Hook,
    RunFinished,
    TextDelta,
    Tool,
    ToolCall,
    tool,
)
from arc_core.testing import DictResponseCache, ListConversationManager, ScriptedChatModel
from tests.arc_autoconfig.handlers import without_handlers
from tests.arc_autoconfig.installed import PackageIndex
from tests.arc_autoconfig.offers import OpenGuard, get_weather


class Journal(Hook):
    """Notes its life and its runs."""

    def __init__(self) -> None:
        self.events: list[str] = []

    async def start(self) -> None:
        self.events.append("start")

    async def aclose(self) -> None:
        self.events.append("close")

    async def before_agent_start(self, context: Any) -> None:
        self.events.append("run")


def _weather_model() -> ScriptedChatModel:
    call = ToolCall(id="1", name="get_weather", arguments='{"city": "Seoul"}')
    return ScriptedChatModel([[call], "It is sunny."])


async def test_start_and_aclose_do_what_the_with_does() -> None:
    """For the cells of a notebook; another close does nothing, and another start is possible."""
    journal = Journal()
    app = Application(register=[journal, ScriptedChatModel(["One.", "Two."])])

    for answer in ("One.", "Two."):
        await app.start()
        assert (await app.execute("Hi")).content == answer
        await app.aclose()
        await app.aclose()

    assert journal.events == ["start", "run", "close"] * 2


async def test_a_second_start_is_refused() -> None:
    """The first goes on."""
    async with Application(register=[ScriptedChatModel(["One."])]) as app:
        with pytest.raises(ApplicationStateError, match="already started"):
            await app.start()

        assert (await app.execute("Hi")).content == "One."


async def test_the_smallest_program_works() -> None:
    """A registered tool is called, and the answer comes back."""
    async with Application(register=[get_weather, _weather_model()]) as app:
        result = await app.execute("How is the weather in Seoul?")

    assert result.content == "It is sunny."
    assert result.tools_used == ("get_weather",)


async def test_text_and_events_are_streamed() -> None:
    """Commands and plain text are taken alike."""
    async with Application(register=[ScriptedChatModel(["one", "two"])]) as app:
        text = "".join([piece async for piece in app.execute_stream("hi")])
        command = AgentCommand(user_prompt="hi")
        events = [event async for event in app.stream_events(command)]

    assert text == "one"
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "two"
    assert isinstance(events[-1], RunFinished)


@pytest.mark.slow
def test_a_script_runs_without_an_event_loop_and_again() -> None:
    """Each call starts and closes the components; registered instances stay the same."""
    journal = Journal()
    app = Application(register=[journal, ScriptedChatModel(["one", "two"])])

    contents = [app.run("hi").content, app.run(AgentCommand(user_prompt="hi")).content]

    assert contents == ["one", "two"]
    assert journal.events == ["start", "run", "close"] * 2


async def test_run_inside_an_event_loop_says_what_to_use() -> None:
    """It could only block."""
    with pytest.raises(ApplicationStateError, match="running event loop") as raised:
        Application(register=[ScriptedChatModel([])]).run("hi")

    assert "await app.execute" in raised.value.remedy


@pytest.mark.slow
async def test_before_the_start_and_after_the_close_there_is_an_error() -> None:
    """From every entry point, at once, with the remedy."""
    app = Application(register=[ScriptedChatModel([])])
    async with app:
        pass

    for entry in (app.execute_stream, app.stream_events):
        with pytest.raises(ApplicationStateError, match="not started"):
            entry("hi")
    with pytest.raises(ApplicationStateError, match="not started") as raised:
        await app.execute("hi")
    assert "async with" in raised.value.remedy


@pytest.mark.slow
async def test_an_application_is_started_once_at_a_time() -> None:
    """Again after its close, but not twice at once."""
    app = Application(register=[ScriptedChatModel(["one", "two"])])
    async with app:
        with pytest.raises(ApplicationStateError, match="already started"):
            await app.__aenter__()
        assert (await app.execute("hi")).content == "one"
    async with app:
        assert (await app.execute("hi")).content == "two"


async def test_an_override_replaces_the_default_and_the_report_says_for_whom() -> None:
    """What was put into the container before the start is what the engine uses."""
    manager = ListConversationManager()
    app = Application(register=[ScriptedChatModel(["answer"])])
    app.container.conversation_manager.override(manager)

    async with app:
        await app.execute(AgentCommand(user_prompt="hi", session_id="s"))

    assert AssistantMessage("answer") in manager.messages
    lines = str(app.report).splitlines()
    place = lines.index(
        "conversation_manager: ListConversationManager (container override),"
        " the container's provider is overridden"
    )
    assert lines[place + 1].startswith("    not window (arc-agents")
    assert lines[place + 1].endswith(
        "stepped back for ListConversationManager (container override)"
    )


async def test_a_container_of_ones_own_replaces_providers() -> None:
    """As users of dependency-injector do it."""

    class Mine(ArcContainer):
        chat_model = providers.Singleton(ScriptedChatModel, turns=["mine"])

    async with Application(container=Mine()) as app:
        result = await app.execute("hi")

    assert result.content == "mine"
    winner = app.report.winner(ChatModel)
    assert winner is not None
    assert winner.name == "ScriptedChatModel"


async def test_a_late_override_is_refused() -> None:
    """Instead of being silently without effect."""
    async with Application(register=[ScriptedChatModel([])]) as app:
        with pytest.raises(WiringFrozenError, match="response_cache can no longer be overridden"):
            app.container.response_cache.override(DictResponseCache())


async def test_a_late_override_of_a_redefined_provider_is_refused() -> None:
    """A container of one's own is frozen like Arc's."""

    class Mine(ArcContainer):
        response_cache = providers.Singleton(DictResponseCache)

    async with Application(container=Mine(), register=[ScriptedChatModel([])]) as app:
        with pytest.raises(WiringFrozenError, match="response_cache"):
            app.container.response_cache.override(DictResponseCache())


@pytest.mark.slow
async def test_each_start_builds_components_anew() -> None:
    """What was closed may not be fit for another start; after a close, overrides work again."""
    app = Application(register=[Journal, ScriptedChatModel([])])
    async with app:
        (first,) = app.container.hooks()
    cache = DictResponseCache()
    app.container.response_cache.override(cache)
    async with app:
        (second,) = app.container.hooks()

        assert app.container.response_cache() is cache
    assert first is not second
    assert vars(first) == vars(second) == {"events": ["start", "close"]}


async def test_logs_are_written_while_it_is_open() -> None:
    """Where the process has no logging of its own."""
    arc = logging.getLogger("arc")
    with without_handlers():
        async with Application(register=[ScriptedChatModel([])]):
            assert len(arc.handlers) == 1

        assert arc.handlers == []


async def test_an_override_for_a_while_ends_after_the_close() -> None:
    """dependency-injector's context manager around the application's."""
    app = Application(register=[ScriptedChatModel(["hi"])])
    with app.container.response_cache.override(DictResponseCache()):
        async with app:
            await app.execute("hi")

    assert not app.container.response_cache.overridden


async def test_the_executor_is_there_before_the_start() -> None:
    """A caller that needs no start may take it from the container."""
    app = Application(register=[ScriptedChatModel(["hi"])])

    executor = app.container.agent_executor()

    assert (await executor.execute(AgentCommand(user_prompt="hi"))).content == "hi"
    async with app:
        assert app.container.agent_executor() is executor


async def test_a_failed_start_closes_what_had_started() -> None:
    """The error is the component's, and the application can be used no further."""

    class Zebra(Hook):
        async def start(self) -> None:
            msg = "port in use"
            raise OSError(msg)

    journal = Journal()
    app = Application(register=[journal, Zebra, ScriptedChatModel([])])

    with pytest.raises(ComponentError, match="hooks: Zebra"):
        await app.__aenter__()

    assert journal.events == ["start", "close"]
    with pytest.raises(ApplicationStateError, match="not started"):
        await app.execute("hi")


async def test_components_are_closed_when_the_body_fails() -> None:
    """Also when it is cancelled."""
    journal = Journal()

    async def cancelled() -> None:
        async with Application(register=[journal, ScriptedChatModel([])]):
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await cancelled()
    assert journal.events == ["start", "close"]


async def test_users_tools_come_first_in_their_order() -> None:
    """Before plugins' and Arc's own, whatever their names."""

    @tool
    def a_tool() -> str:
        """Do something."""
        return ""

    app = Application(ArcSettings(tools={"builtin": ["calculate"]}), register=[get_weather, a_tool])

    names = [each.name for each in app.container.tools() if isinstance(each, FunctionTool)]
    assert names == ["get_weather", "a_tool", "calculate"]


def test_what_breaks_at_import_shows_without_a_start(packages: PackageIndex) -> None:
    """`load` imports what won and builds nothing."""
    packages.install("acme-arc", arc__hooks={"audit": "nowhere_to_be_found:Audit"})
    app = Application()
    assert [each.name for each in app.report.winners(Hook)] == ["audit"]

    app.load()

    assert app.report.winners(Hook) == ()


def test_an_unknown_provider_is_answered_with_the_known_ones() -> None:
    """The error suggests the nearest."""
    with pytest.raises(UnknownNameError, match=r"llm\.provider names 'opnai'") as raised:
        Application(ArcSettings(llm={"provider": "opnai"}))

    assert raised.value.remedy == "write 'openai'"
    assert raised.value.evidence == (
        "known names: anthropic, gemini, offline, openai, openai_responses",
    )


def test_guards_that_are_switched_off_are_not_built() -> None:
    """The report says by which setting."""
    app = Application(ArcSettings(guard={"enabled": False}), register=[OpenGuard])

    assert app.container.guards() == ()
    losers = app.report.decision(Guard).losers
    assert {loser.reason for loser in losers} == {"guard.enabled is false"}
    assert "OpenGuard" in {loser.candidate.name for loser in losers}


def test_plugins_can_be_left_out_altogether(packages: PackageIndex) -> None:
    """Only Arc's own components remain, and what is registered."""
    packages.install("acme-arc", arc__hooks={"audit": "acme:Audit"})

    with_plugins, without = Application(), Application(plugins=False)

    assert [each.name for each in with_plugins.report.winners(Hook)] == ["audit"]
    assert without.report.winners(Hook) == ()
    assert without.report.winner(ConversationManager) is not None


def test_the_report_shows_contributions_in_order_once_they_are_built() -> None:
    """`order` is an attribute of the built component."""

    class Zeta(Hook):
        order = 1

    class Alpha(Hook): ...

    app = Application(register=[Alpha, Zeta], plugins=False)
    assert [each.name for each in app.report.winners(Hook)] == ["Alpha", "Zeta"]

    app.container.hooks()

    assert [each.name for each in app.report.winners(Hook)] == ["Zeta", "Alpha"]


def test_making_an_application_builds_nothing() -> None:
    """A constructor is not even called."""

    class Loud(Hook):
        def __init__(self) -> None:
            msg = "built"
            raise AssertionError(msg)

    app = Application(register=[Loud, get_weather])

    assert app.report.winners(Tool)[0].name == "get_weather"
