"""Agents that need no code."""

import sys
import types
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from arc_autoconfig import ArcSettings
from arc_autoconfig.declare.candidates import Source
from arc_autoconfig.declare.registration import agents_in_settings
from arc_autoconfig.errors import SettingsError
from arc_core import Agent, Limits


def agent_of(settings: ArcSettings) -> Agent:
    """The one agent of some settings, as it is built."""
    [candidate] = agents_in_settings(settings)
    component: Any = candidate.component
    made: Agent = component()
    return made


def written(text: str, folder: Path = Path()) -> ArcSettings:
    """Settings in the working directory."""
    folder.joinpath("arc.toml").write_text(text, "utf-8")
    return ArcSettings()


def test_a_table_says_all_that_code_could() -> None:
    """But for functions and tools, which are named."""
    settings = written(
        '[agents.refunds]\ninstructions = "You decide."\ndescription = "Refunds."\n'
        'model = "careful"\ntools = ["find_order", "mcp:shop/*"]\noutput = "decimal:Decimal"\n'
        "limits = { max_tool_calls = 8, deadline_s = 120 }\nexamples = ['Pay back?']\n"
    )

    assert agent_of(settings) == Agent(
        "refunds",
        description="Refunds.",
        instructions="You decide.",
        model="careful",
        tools=["find_order", "mcp:shop/*"],
        output=Decimal,
        limits=Limits(max_tool_calls=8, deadline_s=120),
        examples=["Pay back?"],
    )


def test_the_report_says_where_it_stands() -> None:
    """With file and line."""
    [candidate] = agents_in_settings(written("\n[agents.refunds]\n"))

    assert candidate.origin.source is Source.SETTINGS
    assert str(candidate) == "refunds (settings, arc.toml, line 2)"


def test_a_file_of_instructions_lies_beside_the_file_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wherever the program is started."""
    Path("conf").mkdir()
    Path("conf/refunds.md").write_text("You decide.\n", "utf-8")
    Path("conf/arc.toml").write_text('[agents.x]\ninstructions_file = "refunds.md"\n', "utf-8")
    monkeypatch.setenv("ARC_CONFIG", "conf/arc.toml")

    assert agent_of(ArcSettings()).instructions == "You decide."


def test_a_file_that_a_variable_names_is_looked_for_in_the_working_directory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As for every other path."""
    Path("refunds.md").write_text("You decide.", "utf-8")
    monkeypatch.setenv("ARC_AGENTS__X__INSTRUCTIONS_FILE", "refunds.md")

    assert agent_of(ArcSettings()).instructions == "You decide."


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ('instructions_file = "nope.md"', "nope.md cannot be read"),
        ('output = "decimal:Decimall"', "'decimal:Decimall' cannot be imported"),
        ('output = "no_such_module:X"', "'no_such_module:X' cannot be imported"),
        ('output = "Decimal"', "'Decimal' cannot be imported"),
    ],
)
def test_what_does_not_exist_is_an_error_with_file_and_line(setting: str, problem: str) -> None:
    """At the start."""
    settings = written(f"[agents.refunds]\n{setting}\n")

    with pytest.raises(SettingsError, match=problem) as raised:
        agent_of(settings)

    assert f"agents.refunds.{setting.split()[0]} (arc.toml, line 2)" in str(raised.value)


def test_a_type_is_imported_only_when_the_agent_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """What loses against another agent of its name is never imported."""
    module = types.ModuleType("refund_types")
    settings = written('[agents.x]\noutput = "refund_types:Refund"\n')
    [candidate] = agents_in_settings(settings)
    module.Refund = int  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "refund_types", module)
    component: Any = candidate.component

    assert component().output is int


def test_two_texts_of_instructions_exclude_each_other() -> None:
    """The error says where."""
    with pytest.raises(SettingsError, match="keep one"):
        written('[agents.x]\ninstructions = "a"\ninstructions_file = "b"\n')


def test_an_unknown_key_is_an_error() -> None:
    """As everywhere in the settings."""
    with pytest.raises(SettingsError, match=r"agents\.x\.instruction"):
        written('[agents.x]\ninstruction = "a"\n')
