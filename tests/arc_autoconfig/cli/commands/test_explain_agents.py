"""`arc agents`."""

import json
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.installed import PackageIndex


@pytest.fixture(autouse=True)
def _two_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARC_TRUST", "1")
    text = '[agents.refunds]\ndescription = "Decides about refunds."\ntools = ["calculate"]\n'
    text += 'delegates = ["default"]\n'
    text += 'output = "decimal:Decimal"\nlimits = { max_tool_calls = 2 }\n'
    Path("arc.toml").write_text(text, "utf-8")


def test_people_read_a_table() -> None:
    """The default agent first, then the others, and where each comes from."""
    result = invoke("agents")

    lines = [line.split() for line in result.stdout.splitlines() if line.strip()]
    assert [words[0] for words in lines[2:]] == ["default", "refunds"]
    assert "arc.toml, line 1" in result.stdout
    assert "Decides about refunds." in result.stdout


def test_programs_read_json() -> None:
    """All that an agent says, but for its instructions."""
    [_, refunds] = json.loads(invoke("agents", "--json").stdout)

    assert refunds == {
        "name": "refunds",
        "description": "Decides about refunds.",
        "origin": "settings, arc.toml, line 1",
        "model": None,
        "tools": ["calculate"],
        "delegates": ["default"],
        "handoffs": [],
        "output": "Decimal",
        "max_model_calls": None,
        "max_tool_calls": 2,
        "max_total_tokens": None,
        "max_cost": None,
        "deadline_s": None,
    }


def test_an_agent_that_cannot_be_made_is_an_error() -> None:
    """Where it stands, and why."""
    Path("arc.toml").write_text('[agents.x]\noutput = "nowhere:X"\n', "utf-8")

    result = invoke("agents")

    assert result.exit_code == 2
    assert "agents.x.output (arc.toml, line 2)" in result.stderr


@pytest.mark.parametrize("command", [["run", "Hi"], ["chat"], ["conditions"]])
def test_an_unknown_agent_is_an_error_with_the_nearest_name(command: list[str]) -> None:
    """Of every command that takes one."""
    result = invoke(*command, "--agent", "refund")

    assert result.exit_code == 2
    assert "write 'refunds'" in result.stderr


def test_conditions_say_what_holds_for_an_agent_and_who_says_so() -> None:
    """The agent, or the setting that stands in."""
    result = invoke("conditions", "--agent", "refunds", "--json")

    origins = {each["what"]: (each["value"], each["from"]) for each in json.loads(result.stdout)}
    assert origins["tools"] == ("calculate", "settings, arc.toml, line 1")
    assert origins["max_tool_calls"] == ("2", "settings, arc.toml, line 1")
    assert origins["delegates"] == ("default", "settings, arc.toml, line 1")
    assert origins["handoffs"] == ("none", "default")
    assert origins["model"] == ("the vendor's default", "llm.model (default)")
    assert origins["deadline_s"][1] == "concurrency.request_timeout_s (default)"


def test_a_file_and_a_type_need_trust(monkeypatch: pytest.MonkeyPatch) -> None:
    """One is sent to the vendor, the module of the other is run; the rest is harmless."""
    monkeypatch.delenv("ARC_TRUST")
    text = '[agents.x]\ninstructions = "Hi."\nmodel = "m"\ntools = ["a"]\n'
    text += '[agents.y]\ninstructions_file = "y.md"\noutput = "y:Y"\n'
    Path("arc.toml").write_text(text, "utf-8")

    result = invoke("agents")

    assert result.exit_code == 2
    assert [line.split()[1] for line in result.stderr.splitlines() if "  - " in line] == [
        "agents.y.instructions_file",
        "agents.y.output",
    ]


SHOP = """
from collections.abc import Iterator
from typing import Any
from arc_autoconfig import provides
from arc_core import Agent, Inject, service

class Database: ...

@service
def connect() -> Iterator[Database]:
    raise AssertionError("a command that shows agents opens nothing")
    yield Database()

async def instructions(database: Inject[Database]) -> str:
    return "Look it up."

refunds = Agent("refunds", description="Refunds.", instructions=instructions, model="careful")

@provides(Agent, name="made")
def make(database: Database) -> Agent[Any]:
    return Agent("made", description="Made.")
"""


@pytest.fixture
def _shop(packages: PackageIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    packages.install("no-package", modules={"shop_agents": SHOP})
    monkeypatch.setenv("ARC_PLUGINS__LOAD", "shop_agents")
    Path("arc.toml").unlink()


@pytest.mark.usefixtures("_shop")
def test_agents_are_listed_without_the_start_of_what_they_ask_for() -> None:
    """One that is made with a service is listed by its name, as far as it is known."""
    entries = {each["name"]: each for each in json.loads(invoke("agents", "--json").stdout)}

    assert entries["refunds"]["description"] == "Refunds."
    assert entries["refunds"]["model"] == "careful"
    assert entries["made"]["origin"] == "plugins.load shop_agents"
    assert "when the application starts" in entries["made"]["description"]


@pytest.mark.usefixtures("_shop")
def test_conditions_of_an_agent_need_no_start_of_what_it_asks_for() -> None:
    """Of one that is made with a service they say that it is made later, and claim no more."""
    refunds = json.loads(invoke("conditions", "--agent", "refunds", "--json").stdout)
    made = json.loads(invoke("conditions", "--agent", "made", "--json").stdout)

    origins = {each["what"]: each["value"] for each in refunds}
    assert origins["instructions"] == "written by instructions"
    assert [each["value"] for each in made] == ["is made when the application starts"]
