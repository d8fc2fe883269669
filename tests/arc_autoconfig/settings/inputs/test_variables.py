"""Settings as text: environment, `.env`, command line."""

from pathlib import Path
from typing import Any

import pytest

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings import ArcSettings


@pytest.mark.parametrize(
    ("variable", "value", "key", "expected"),
    [
        ("ARC_MAX_TOOL_CALLS", "3", "max_tool_calls", 3),
        ("ARC_RETRY__MULTIPLIER", "1.5", "retry.multiplier", 1.5),
        ("ARC_GUARD__ENABLED", "false", "guard.enabled", False),
        ("ARC_LOGGING__LEVEL", "debug", "logging.level", "DEBUG"),
        ("ARC_PLUGINS__DISABLED", "a, b", "plugins.disabled", ("a", "b")),
        ("ARC_PLUGINS__DISABLED", '["a", "b"]', "plugins.disabled", ("a", "b")),
        ("ARC_TOOLS__BUILTIN", "calculate", "tools.builtin", ("calculate",)),
        ("ARC_TOOLS__BUILTIN", "[]", "tools.builtin", ()),
        ("ARC_LLM", '{"model": "m"}', "llm.model", "m"),
        (
            "ARC_COMPONENTS__RESPONSE_CACHE",
            "redis",
            "components.chosen",
            {"response_cache": "redis"},
        ),
        ("ARC_PLUGINS__SETTINGS__ACME__KIND", "x", "plugins.settings", {"acme": {"kind": "x"}}),
        ("ARC_LLM__MODEL", "  ", "llm.model", None),
    ],
)
def test_text_becomes_a_value(
    monkeypatch: pytest.MonkeyPatch, *, variable: str, value: str, key: str, expected: object
) -> None:
    """By the setting's type; lists with commas or as JSON; a blank variable says nothing."""
    monkeypatch.setenv(variable, value)

    found: Any = ArcSettings()
    for part in key.split("."):
        found = getattr(found, part)

    assert found == expected


@pytest.mark.parametrize(
    ("variable", "remedy"),
    [
        ("ARC_LLM__PROVIDR", "write environment variable ARC_LLM__PROVIDER"),
        ("ARC_LLN__PROVIDER", "write environment variable ARC_LLM"),
        ("ARC_LLM_MODEL", "write environment variable ARC_LLM__MODEL"),
        ("ARC_LLM_MODLE", "write environment variable ARC_LLM__MODEL"),
        ("ARC_XYZZY", "remove it, or install its package"),
        ("ARC_MAX_TOOL_CALLS__X", "remove it, or install its package"),
    ],
)
def test_an_unknown_variable_is_an_error(
    monkeypatch: pytest.MonkeyPatch, variable: str, remedy: str
) -> None:
    """With the nearest known name, and without the value."""
    monkeypatch.setenv(variable, "secret")

    with pytest.raises(SettingsError, match=f"environment variable {variable} is not") as raised:
        ArcSettings()

    assert raised.value.remedy == remedy
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "variable",
    ["ARC_TEST_ANYTHING", "ARC_RECORDED_STREAMS", "ARC_PYTHON", "ARC_BENCH_ROUNDS", "ARCHIVE"],
)
def test_reserved_and_foreign_variables_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """They are not settings, and not an error."""
    defaults = ArcSettings().model_dump()
    monkeypatch.setenv(variable, "x")

    assert ArcSettings().model_dump() == defaults


def test_a_list_that_cannot_be_read_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """With both ways to write it."""
    monkeypatch.setenv("ARC_PLUGINS__DISABLED", '["a"')

    with pytest.raises(SettingsError, match="ARC_PLUGINS__DISABLED cannot be read") as raised:
        ArcSettings()

    assert "a,b" in raised.value.remedy


def test_an_unknown_line_of_the_env_file_is_an_error() -> None:
    """Only lines that begin with ARC_ are Arc's."""
    Path(".env").write_text("OTHER=1\nARC_LLM__MODLE=m\n", "utf-8")

    with pytest.raises(SettingsError, match=r"ARC_LLM__MODLE in \.env is not a setting") as raised:
        ArcSettings()

    assert raised.value.remedy == "write ARC_LLM__MODEL in .env"


def test_the_command_line_takes_values_and_text() -> None:
    """An option may have been parsed already, or be text as after `--set`."""
    options = {"plugins.disabled": ["a"], "max_tool_calls": "4", "guard.enabled": False}

    settings = ArcSettings(_command_line=options)

    assert settings.plugins.disabled == ("a",)
    assert settings.max_tool_calls == 4
    assert not settings.guard.enabled


def test_an_unknown_key_on_the_command_line_is_an_error() -> None:
    """In the words of the command line."""
    with pytest.raises(SettingsError, match=r"llm\.modl on the command line") as raised:
        ArcSettings(_command_line={"llm.modl": "m"})

    assert raised.value.remedy == "write llm.model on the command line"
