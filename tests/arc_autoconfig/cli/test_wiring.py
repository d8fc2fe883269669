"""The application that options describe."""

import logging
from pathlib import Path

import click
import pytest

from arc_autoconfig.application import Application
from arc_autoconfig.cli.options import chosen_settings, disabled_plugins
from arc_autoconfig.cli.wiring import application_for


def application(*, disabled: list[str] | None = None, **settings: object) -> Application:
    """What is made for such options; `__` stands for the dot of a key."""
    with click.Context(click.Command("any")) as ctx:
        chosen_settings(ctx).update({k.replace("__", "."): v for k, v in settings.items()})
        disabled_plugins(ctx).extend(disabled or [])
        return application_for(ctx)


def test_options_win_over_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was typed last is what was meant."""
    monkeypatch.setenv("ARC_MAX_TOOL_CALLS", "3")

    assert application(max_tool_calls=7).settings.max_tool_calls == 7


def test_disabled_plugins_are_added_to_those_of_the_settings() -> None:
    """An option does not switch on again what a file has switched off."""
    Path("arc.toml").write_text('[plugins]\ndisabled = ["heuristic"]\n', "utf-8")

    assert application(disabled=["messages"]).settings.plugins.disabled == ("heuristic", "messages")


def warned(monkeypatch: pytest.MonkeyPatch, **settings: str) -> list[logging.Handler]:
    """Who writes Arc's records between the making of an application and the end of its command."""
    for key, value in settings.items():
        monkeypatch.setenv(f"ARC_LOGGING__{key.upper()}", value)
    with click.Context(click.Command("any")) as ctx:
        application_for(ctx)
        return list(logging.getLogger("arc").handlers)


def test_warnings_are_lines_until_the_command_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of a plugin that could not be loaded."""
    assert len(warned(monkeypatch)) == 1
    assert logging.getLogger("arc").handlers == []


@pytest.mark.parametrize("settings", [{"level": "info"}, {"format": "json"}])
def test_who_says_how_to_log_gets_the_applications_logs(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]
) -> None:
    """A setting is obeyed, even one that is the default."""
    assert warned(monkeypatch, **settings) == []
