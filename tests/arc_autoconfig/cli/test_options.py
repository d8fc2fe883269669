"""Options become settings."""

import click
import pytest
from click.testing import CliRunner

from arc_autoconfig.cli.failures import TRACEBACK
from arc_autoconfig.cli.options import (
    chosen_settings,
    disabled_plugins,
    model_options,
    wiring_options,
)
from tests.arc_autoconfig.cli.invoking import invoke


def parsed(*arguments: str) -> tuple[dict[str, object], list[str], bool]:
    """Settings, disabled plugins and the wish for tracebacks."""
    seen: list[tuple[dict[str, object], list[str], bool]] = []

    @click.group()
    @wiring_options
    def group() -> None:
        pass

    @group.command()
    @model_options
    @wiring_options
    @click.pass_context
    def command(ctx: click.Context) -> None:
        seen.append((chosen_settings(ctx), disabled_plugins(ctx), bool(ctx.meta.get(TRACEBACK))))

    CliRunner().invoke(group, arguments, catch_exceptions=False)
    return seen[0]


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        ([], {}),
        (["--set", "llm.temperature=0"], {"llm.temperature": "0"}),
        (["--set", " llm.system_prompt =a=b"], {"llm.system_prompt": "a=b"}),
        (["--model", "m", "--provider", "p"], {"llm.model": "m", "llm.provider": "p"}),
        (["--tool-limit", "0"], {"max_tool_calls": 0}),
    ],
)
def test_settings(arguments: list[str], settings: dict[str, object]) -> None:
    """Shorthands and `--set` alike."""
    assert parsed("command", *arguments)[0] == settings


def test_options_stand_before_and_behind_the_command() -> None:
    """Both places count together."""
    settings, disabled, wants_traceback = parsed(
        *("--set", "a=1", "--no-plugin", "x", "--traceback", "command"),
        *("--set", "b=2", "--no-plugin", "y"),
    )

    assert (settings, disabled) == ({"a": "1", "b": "2"}, ["x", "y"])
    assert wants_traceback


@pytest.mark.parametrize("text", ["llm.temperature", "=0", " =0"])
def test_a_setting_without_key_or_value_is_wrong_usage(text: str) -> None:
    """The error shows what was written and how to write it."""
    result = invoke("conditions", "--set", text)

    assert result.exit_code == 2
    assert f"{text!r} is not of the form KEY=VALUE" in result.stderr


def test_a_negative_limit_is_wrong_usage() -> None:
    """The option says so itself."""
    assert invoke("run", "hi", "--tool-limit", "-1").exit_code == 2
