"""Options that several commands share; as settings they win over files and variables."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arc_autoconfig.cli.failures import TRACEBACK
from arc_autoconfig.cli.output.json_output import reserve_stdout

__all__ = [
    "chosen_settings",
    "config_file",
    "config_option",
    "disabled_plugins",
    "given_options",
    "json_option",
    "model_options",
    "wiring_options",
]

_SETTINGS = "arc.settings"
_CONFIG = "arc.config"
_DISABLED = "arc.disabled"

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def wiring_options(command: Decorated) -> Decorated:
    """`--config`, `--set`, `--no-plugin`, `--traceback`, before or behind a command's name."""
    for option in (
        click.option(
            "--traceback", is_flag=True, expose_value=False, callback=_want_traceback,
            help="Show where an error comes from.",
        ),
        click.option(
            "--no-plugin", metavar="NAME", multiple=True, expose_value=False, callback=_disable,
            help="Leave a plugin out; may be repeated.",
        ),
        click.option(
            "--set", metavar="KEY=VALUE", multiple=True, expose_value=False, callback=_set_each,
            help="Set any setting, as in llm.temperature=0; may be repeated.",
        ),
    ):  # fmt: skip
        command = option(command)
    return config_option(command)


def config_option(command: Decorated) -> Decorated:
    """`--config`."""
    option = click.option(
        "--config", metavar="FILE", expose_value=False, callback=_name_file,
        help="Read the settings of this file instead of arc.toml or pyproject.toml.",
    )  # fmt: skip
    return option(command)


def json_option(command: Decorated) -> Decorated:
    """`--json`, as the parameter `as_json`; nothing else writes to standard output then."""
    option = click.option(
        "--json", "as_json", is_flag=True, callback=_reserve_stdout, is_eager=True,
        help="Print JSON, and nothing else.",
    )  # fmt: skip
    return option(command)


def model_options(command: Decorated) -> Decorated:
    """`--model`, `--provider` and `--tool-limit`."""
    for option in (
        click.option(
            "--tool-limit", type=click.IntRange(min=0), expose_value=False,
            callback=_setting("max_tool_calls"), help="At most so many tool calls.",
        ),
        click.option(
            "--provider", expose_value=False, callback=_setting("llm.provider"),
            help="Which chat model answers: openai, anthropic, offline or a plugin's.",
        ),
        click.option(
            "--model", expose_value=False, callback=_setting("llm.model"),
            help="The vendor's name of the model.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def chosen_settings(ctx: click.Context) -> dict[str, object]:
    """Values by dotted key, as the options of all levels say."""
    settings: dict[str, object] = ctx.meta.setdefault(_SETTINGS, {})
    return settings


def config_file(ctx: click.Context) -> Path | None:
    """The settings file that `--config`, or else the variable `ARC_CONFIG`, names."""
    from arc_autoconfig.settings.inputs.variables import named_file

    text: str | None = ctx.meta.get(_CONFIG)
    return Path(text) if text else named_file()


def disabled_plugins(ctx: click.Context) -> list[str]:
    """The plugins to leave out besides those of `plugins.disabled`."""
    names: list[str] = ctx.meta.setdefault(_DISABLED, [])
    return names


def given_options(ctx: click.Context) -> list[str]:
    """The options that were given for the settings, for a command that takes none."""
    files = ["--config"] if ctx.meta.get(_CONFIG) else []
    plugins = ["--no-plugin"] if disabled_plugins(ctx) else []
    return [*files, *plugins, *(f"the option for {key}" for key in chosen_settings(ctx))]


def _setting(key: str) -> Callable[[click.Context, click.Parameter, object], None]:
    def keep(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
        del parameter
        if value is not None:
            chosen_settings(ctx)[key] = value

    return keep


def _set_each(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> None:
    for text in values:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            message = f"{text!r} is not of the form KEY=VALUE; write --set llm.temperature=0"
            raise click.BadParameter(message, ctx, parameter)
        chosen_settings(ctx)[key.strip()] = value


def _name_file(ctx: click.Context, parameter: click.Parameter, text: str | None) -> None:
    del parameter
    if text is not None:
        ctx.meta[_CONFIG] = text


def _disable(ctx: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> None:
    del parameter
    disabled_plugins(ctx).extend(names)


def _reserve_stdout(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> bool:  # noqa: FBT001 -- click calls it so
    del parameter
    if wanted:
        root = ctx.find_root()  # the context of the command itself is not closed by wrong usage
        root.with_resource(reserve_stdout(root))
    return wanted


def _want_traceback(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 -- click calls it so
    del parameter
    if wanted:
        ctx.meta[TRACEBACK] = True
