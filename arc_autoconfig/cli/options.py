"""Options that several commands share; as settings they win over files and variables."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arc_autoconfig.cli.failures import TRACEBACK
from arc_autoconfig.cli.output.json_output import reserve_stdout

_CONFIG = "arc.config"

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def chosen_settings(ctx: click.Context) -> dict[str, object]:
    """Values by dotted key, as the options of all levels say."""
    settings: dict[str, object] = ctx.meta.setdefault("arc.settings", {})
    return settings


def config_file(ctx: click.Context) -> Path | None:
    """The settings file that `--config`, or else the variable `ARC_CONFIG`, names."""
    from arc_autoconfig.settings.inputs.variables import named_file

    text: str | None = ctx.meta.get(_CONFIG)
    return Path(text) if text else named_file()


def disabled_plugins(ctx: click.Context) -> list[str]:
    """The plugins to leave out besides those of `plugins.disabled`."""
    names: list[str] = ctx.meta.setdefault("arc.disabled", [])
    return names


def given_options(ctx: click.Context) -> list[str]:
    """The options that were given for the settings, for a command that takes none."""
    files = ["--config"] if ctx.meta.get(_CONFIG) else []
    plugins = ["--no-plugin"] if disabled_plugins(ctx) else []
    return [*files, *plugins, *(f"the option for {key}" for key in chosen_settings(ctx))]


def _together(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    def decorate(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _keep_option(
    name: str, keep: Callable[[click.Context, Any], None], **about: Any
) -> Callable[[Decorated], Decorated]:
    """Return an option whose value is kept for all levels, not passed to the command."""

    def callback(ctx: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value is not None:
            keep(ctx, value)

    return click.option(name, expose_value=False, callback=callback, **about)


def _setting(name: str, key: str, **about: Any) -> Callable[[Decorated], Decorated]:
    return _keep_option(name, lambda ctx, value: chosen_settings(ctx).update({key: value}), **about)


def _set_each(ctx: click.Context, values: tuple[str, ...]) -> None:
    for text in values:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(
                f"{text!r} is not of the form KEY=VALUE; write --set llm.temperature=0"
            )
        chosen_settings(ctx)[key.strip()] = value


def _want_traceback(ctx: click.Context, wanted: object) -> None:
    if wanted:
        ctx.meta[TRACEBACK] = True


def _reserve_stdout(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> bool:  # noqa: FBT001 -- click calls it so
    if wanted:
        root = ctx.find_root()  # the context of the command itself is not closed by wrong usage
        root.with_resource(reserve_stdout(root))
    return wanted


agent_option = click.option("--agent", metavar="NAME", help="Which agent; `arc agents` lists them.")

config_option = _keep_option(
    "--config",
    lambda ctx, text: ctx.meta.update({_CONFIG: text}),
    metavar="FILE",
    help="Read the settings of this file instead of arc.toml or pyproject.toml.",
)

json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    callback=_reserve_stdout,
    is_eager=True,
    help="Print JSON, and nothing else.",
)
"""As the parameter `as_json`; nothing else writes to standard output then."""

model_options = _together(
    _setting("--model", "llm.model", help="The vendor's name of the model."),
    _setting(
        "--provider",
        "llm.provider",
        help="Which chat model answers: openai, anthropic, offline or a plugin's.",
    ),
    _setting(
        "--tool-limit",
        "max_tool_calls",
        type=click.IntRange(min=0),
        help="At most so many tool calls.",
    ),
)

app_option = click.option(
    "--app",
    "place",
    metavar="APP",
    help="The application of a program, as in shop:app, in the place of that of the settings.",
)
"""As the parameter `place`, of commands whose arguments are files."""

program_argument = click.argument("place", metavar="[APP]", required=False)

wiring_options = _together(
    config_option,
    _keep_option(
        "--set",
        _set_each,
        metavar="KEY=VALUE",
        multiple=True,
        help="Set any setting, as in llm.temperature=0; may be repeated.",
    ),
    _keep_option(
        "--no-plugin",
        lambda ctx, names: disabled_plugins(ctx).extend(names),
        metavar="NAME",
        multiple=True,
        help="Leave a plugin out; may be repeated.",
    ),
    _keep_option(
        "--traceback", _want_traceback, is_flag=True, help="Show where an error comes from."
    ),
)
"""Before or behind a command's name."""

report_options = _together(json_option, wiring_options, click.pass_context)
"""Of a command that shows something, as a table or as JSON; it gets its context."""
