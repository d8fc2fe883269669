"""The application that options describe."""

from pathlib import Path

import click
import pytest

from arc_autoconfig.application import Application
from arc_autoconfig.cli.options import chosen_settings, disabled_plugins
from arc_autoconfig.cli.wiring import application_for
from arc_autoconfig.settings import LogLevel


def application(*, disabled: list[str] | None = None, **settings: object) -> Application:
    """What is made for such options; `__` stands for the dot of a key."""
    ctx = click.Context(click.Command("any"))
    chosen_settings(ctx).update({k.replace("__", "."): v for k, v in settings.items()})
    disabled_plugins(ctx).extend(disabled or [])
    return application_for(ctx)


def test_options_win_over_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was typed last is what was meant."""
    monkeypatch.setenv("ARC_MAX_TOOL_CALLS", "3")

    assert application(max_tool_calls=7).settings.max_tool_calls == 7


def test_disabled_plugins_are_added_to_those_of_the_settings() -> None:
    """An option does not switch on again what a file has switched off."""
    Path("arc.toml").write_text('[plugins]\ndisabled = ["window"]\n', "utf-8")

    assert application(disabled=["memory"]).settings.plugins.disabled == ("window", "memory")


def test_only_warnings_are_logged() -> None:
    """A person at a terminal is shown the run itself."""
    assert application().settings.logging.level is LogLevel.WARNING


def test_a_chosen_level_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wants to read more gets it."""
    monkeypatch.setenv("ARC_LOGGING__LEVEL", "info")

    assert application().settings.logging.level is LogLevel.INFO
