"""Which chat model an application takes, and how it is asked."""

import os
from pathlib import Path

import pytest
from dependency_injector import providers

from arc_autoconfig import Application, ArcContainer, ArcSettings
from arc_autoconfig.errors import AmbiguousComponentError, UnknownNameError
from arc_core import (
    Agent,
    ChatModel,
    ConfigurationError,
    ReasoningEffort,
    ResponseCache,
    Tool,
    ToolCall,
)
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.installed import PackageIndex


async def test_two_models_in_code_are_ambiguous() -> None:
    """Nothing starts, nothing is built, and the report says why."""
    app = Application(register=[ScriptedChatModel([]), ScriptedChatModel([])])

    assert "chat_model: undecided: register one of them only" in str(app.report)
    for attempt in (app.load, app.container.chat_model, app.container.agent_executor):
        with pytest.raises(AmbiguousComponentError, match="chat_model"):
            attempt()
    with pytest.raises(AmbiguousComponentError, match="chat_model"):
        await app.__aenter__()


@pytest.fixture
def _both_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "y")


@pytest.mark.usefixtures("_both_keys")
async def test_an_override_settles_an_ambiguous_slot() -> None:
    """A test that brings its own model runs in every developer's shell."""
    app = Application()
    app.container.chat_model.override(ScriptedChatModel(["mine"]))

    async with app:
        assert (await app.execute("hi")).content == "mine"

    decision = app.report.decision(ChatModel)
    reasons = {(each.candidate.name, each.reason) for each in decision.losers}
    assert ("openai", "stepped back for ScriptedChatModel (container override)") in reasons


@pytest.mark.usefixtures("_both_keys")
async def test_a_container_of_ones_own_settles_an_ambiguous_slot() -> None:
    """A provider that a subclass redefines is an override, too."""

    class Mine(ArcContainer):
        chat_model = providers.Singleton(ScriptedChatModel, turns=["mine"])

    async with Application(container=Mine()) as app:
        assert (await app.execute("hi")).content == "mine"


@pytest.mark.usefixtures("_both_keys")
def test_both_keys_need_a_choice() -> None:
    """`llm.provider` chooses; nothing of a vendor is imported or asked for it."""
    with pytest.raises(AmbiguousComponentError) as raised:
        Application().load()

    assert raised.value.remedy == "set llm.provider to 'anthropic' or 'openai'"
    app = Application(ArcSettings(llm={"provider": "anthropic"}))
    winner = app.report.winner(ChatModel)
    assert winner is not None
    assert winner.name == "anthropic"


def test_keys_may_stand_in_dot_env(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions and vendors' plugins read the same environment; what is set there wins."""
    monkeypatch.setattr(os, "environ", {"ANTHROPIC_API_KEY": "", "MINE": "outer"})
    lines = "OPENAI_API_KEY=sk-x\nMINE=inner\nArc_Max_Tool_Calls=3\n"
    Path(".env").write_text(lines, "utf-8")

    app = Application(plugins=False)

    winner = app.report.winner(ChatModel)
    assert winner is not None
    assert winner.name == "openai"
    assert os.environ == {"ANTHROPIC_API_KEY": "", "MINE": "outer", "OPENAI_API_KEY": "sk-x"}
    assert app.settings.max_tool_calls == 3


CACHES = """
    from arc_core.testing import DictResponseCache

    class AcmeCache(DictResponseCache): ...
    class ZetaCache(DictResponseCache): ...
"""


def caching(packages: PackageIndex, backend: str) -> Application:
    """An application that keeps answers, with two caches of other packages."""
    packages.install(
        "acme-caches",
        modules={"acme_caches": CACHES},
        arc__response_caches={"acme": "acme_caches:AcmeCache", "zeta": "acme_caches:ZetaCache"},
    )
    return Application(ArcSettings(_isolated=True, cache={"enabled": True, "backend": backend}))


@pytest.mark.parametrize("backend", ["acme", "zeta", "memory"])
def test_any_installed_cache_can_be_the_backend(packages: PackageIndex, backend: str) -> None:
    """A third party's is chosen by its name as Arc's own are."""
    winner = caching(packages, backend).report.winner(ResponseCache)

    assert winner is not None
    assert winner.name == backend


def test_an_unknown_backend_is_told_with_those_that_are_known(packages: PackageIndex) -> None:
    """The error lists the installed ones."""
    with pytest.raises(UnknownNameError, match=r"cache\.backend names 'acne'") as raised:
        caching(packages, "acne")

    assert raised.value.evidence == ("known names: acme, memory, none, redis, zeta",)
    assert raised.value.remedy == "write 'acme'"


@pytest.mark.parametrize(("chosen", "tools"), [("offline", 2), ("openai", 0), (None, 2)])
def test_built_in_tools_come_with_the_default_model(chosen: str | None, tools: int) -> None:
    """Whether it is the model because nothing is set, or because a setting names it."""
    app = Application(ArcSettings(_isolated=True, llm={"provider": chosen}), plugins=False)

    assert len(app.report.decision(Tool).winners) == tools


CAREFUL = Agent("careful", temperature=0.1, reasoning="high", max_output_tokens=500)


async def test_a_command_wins_over_its_agent_and_that_over_the_settings() -> None:
    """For each of them on its own."""
    model = ScriptedChatModel(["1", "2", "3"])
    settings = ArcSettings(_isolated=True, llm={"temperature": 0.7, "max_output_tokens": 900})
    async with Application(settings, register=[model, CAREFUL], plugins=False) as app:
        await app.execute("Hi")
        await app.agent("careful").execute("Hi")
        await app.agent("careful").execute("Hi", reasoning=ReasoningEffort.LOW, temperature=1)

    asked = [(each.temperature, each.reasoning, each.max_output_tokens) for each in model.requests]
    assert asked == [(0.7, None, 900), (0.1, "high", 500), (1, "low", 500)]


async def test_who_takes_over_asks_in_its_own_way() -> None:
    """What the first agent said holds for its own turns."""
    hand_over = [ToolCall("1", "transfer_to_careful", "{}")]
    model = ScriptedChatModel([hand_over, "Yes?"])
    quick = Agent("quick", temperature=0.9, reasoning="low", handoffs=["careful"])
    async with Application(register=[model, quick, CAREFUL], plugins=False) as app:
        await app.agent("quick").execute("Hi")

    asked = [(each.temperature, each.reasoning) for each in model.requests]
    assert asked == [(0.9, "low"), (0.1, "high")]


async def test_an_agent_of_the_settings_is_tuned_as_well() -> None:
    """By the keys of its table."""
    table = {"temperature": 0.1, "reasoning": "high", "max_output_tokens": 500}
    model = ScriptedChatModel(["Hi."])
    settings = ArcSettings(_isolated=True, agents={"careful": table})
    async with Application(settings, register=[model], plugins=False) as app:
        await app.agent("careful").execute("Hi")

    [asked] = model.requests
    assert (asked.temperature, asked.reasoning, asked.max_output_tokens) == (0.1, "high", 500)


@pytest.mark.parametrize(
    "tuning", [{"temperature": -1}, {"reasoning": "deep"}, {"max_output_tokens": 0}]
)
def test_an_agent_that_cannot_be_asked_so_is_refused(tuning: dict[str, object]) -> None:
    """When it is made, by name."""
    with pytest.raises(ConfigurationError, match=next(iter(tuning))):
        Agent("careful", **tuning)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("keyword", "meant"), [("sesion_id", "session_id"), ("outpt", "output"), ("xyz", None)]
)
async def test_a_misspelt_keyword_of_a_run_names_the_nearest(
    keyword: str, meant: str | None
) -> None:
    """Before the model is asked."""
    async with Application(plugins=False, register=[ScriptedChatModel([])]) as app:
        with pytest.raises(TypeError, match=keyword) as raised:
            await app.execute("Hi", **{keyword: "x"})  # type: ignore[call-overload]

    assert ("did you mean" in str(raised.value)) == (meant is not None)
    assert meant is None or meant in str(raised.value)


def test_a_misspelt_keyword_of_an_agent_names_the_nearest() -> None:
    """Also for what it has in common with others."""
    with pytest.raises(TypeError, match="did you mean 'temperature'"):
        Agent("careful", temprature=1)  # type: ignore[call-overload]
