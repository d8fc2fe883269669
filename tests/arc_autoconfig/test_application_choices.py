"""Which chat model an application takes where several could be it."""

import os
from pathlib import Path

import pytest
from dependency_injector import providers

from arc_autoconfig import Application, ArcContainer, ArcSettings
from arc_autoconfig.errors import AmbiguousComponentError
from arc_core import ChatModel
from arc_core.testing import ScriptedChatModel


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
