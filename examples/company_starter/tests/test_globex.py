"""What the package adds to every agent where it is installed."""

import json
from pathlib import Path
from typing import Any

import pytest
from globex_arc.codename_guard import CodenameGuard
from globex_arc.settings import GlobexSettings

from arc_autoconfig import Application, ArcSettings
from arc_core import ConfigurationError, Guard, ToolCall
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.guards.guard import GuardConformance


class TestConformance(GuardConformance):
    """What every guard must do."""

    def make_guard(self) -> Guard:
        """A guard as Arc makes it."""
        return CodenameGuard(GlobexSettings())


def make_application(model: ScriptedChatModel, **settings: Any) -> Application:
    """An application that says nothing about the package."""
    return Application(ArcSettings(_isolated=True, **settings), register=[model])


async def test_a_codename_reaches_no_model() -> None:
    """In capitals or not; words that only begin alike pass."""
    model = ScriptedChatModel(["Sleep well."])
    async with make_application(model) as app:
        refused = await app.execute("When is HYPNOSIS ready?")
        answered = await app.execute("Are hypnosists real?")

    assert (refused.error_code, answered.content) == ("GUARD_REJECTED", "Sleep well.")
    assert len(model.requests) == 1


async def test_every_model_is_told_the_house_rules() -> None:
    """Above the instructions of the agent."""
    model = ScriptedChatModel(["Two weeks."])
    async with make_application(model, globex={"house_rules": "Be kind."}) as app:
        await app.agent("handbook").execute("How long?")

    told = model.requests[0].system_prompt or ""
    assert told.startswith("Be kind.\n\nAnswer from the handbook alone")


async def test_the_usage_of_a_run_is_logged(tmp_path: Path) -> None:
    """A line of it, with nothing of what was said."""
    file = tmp_path / "usage.jsonl"
    async with make_application(
        ScriptedChatModel(["Sure."]), globex={"usage_file": str(file)}
    ) as app:
        await app.execute("A secret", user_id="ann", tenant_id="sales")

    line = json.loads(file.read_text())
    assert (line["user_id"], line["tenant_id"], line["error"]) == ("ann", "sales", None)
    assert "secret" not in file.read_text()


async def test_the_handbook_answers_from_its_chapters() -> None:
    """The model asks for one by a word of its title."""
    model = ScriptedChatModel([[ToolCall("1", "look_up_rule", '{"topic": "holiday"}')], "30 days."])
    async with make_application(model) as app:
        result = await app.agent("handbook").execute("How many days off?")

    assert "Thirty days a year" in str(result.messages)


async def test_production_starts_with_all_it_needs_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The error names what is missing."""
    (tmp_path / "arc.toml").write_text("[profiles.prod.durable]\nenabled = true\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARC_PROFILE", "prod")
    app = Application(register=[ScriptedChatModel(["Hi."])])

    with pytest.raises(ConfigurationError, match=r"telemetry\.metrics, globex\.usage_file"):
        async with app:
            pass
