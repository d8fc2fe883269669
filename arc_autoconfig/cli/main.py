"""The command `arc`: which subcommands there are, and what becomes of errors."""

import io
import sys
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from arc_autoconfig.cli.failures import ConfigurationFailure, explain_errors
from arc_autoconfig.cli.options import wiring_options

COMMANDS_GROUP = "arc.commands"
"""The entry points of plugins' subcommands."""

COMMANDS = {
    "run": "Ask once, and print the answer as it comes.",
    "chat": "Talk, in one session.",
    "runs": "See to runs that are kept in a database.",
    "replay": "Run recordings again, and show what has changed.",
    "eval": "Try agents on cases, until the verdict about each is clear.",
    "serve": "Serve the application, with all its agents, over HTTP.",
    "worker": "Run what was submitted.",
    "agents": "Show the agents, and what is special about each.",
    "conditions": "Show what is wired, and why.",
    "components": "Show the components, and what each is built with.",
    "plugins": "Show the plugins, and what became of them.",
    "plugin": "Make a plugin package.",
    "trust": "Trust the settings files of a folder, as they are now.",
    "config": "Show every setting, and where its value came from.",
    "doctor": "Check what shows only once it runs.",
    "db": "See to the databases of conversations and credentials.",
    "budget": "See to the budgets of tenants and users.",
    "credentials": "See to the credentials with which tools act for people.",
    "mcp": "Serve other programs by MCP, or see to MCP servers.",
    "docs": "See to the documents that agents get to read.",
}
"""Arc's own subcommands, with the first line of their help; `run` is in `cli.commands.run`."""

_MODULES = {
    **dict.fromkeys(("agents", "components", "conditions", "doctor", "plugins"), "explain"),
    **dict.fromkeys(("budget", "credentials", "db"), "operations"),
    "chat": "run",
    "trust": "config",
    "worker": "serve",
    "runs": "runs.runs",
    "replay": "runs.replay",
    "eval": "runs.eval",
}
"""The modules of those that have none of their own name directly in `cli.commands`."""


class CommandGroup(click.Group):
    """Lists commands without importing any; a broken one of a plugin harms no other."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Arc's own in the order of `COMMANDS`, then the plugins' by name."""
        return [*COMMANDS, *_plugin_commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None for one that does not exist."""
        if cmd_name in COMMANDS:
            name = _MODULES.get(cmd_name, cmd_name)
            module = import_module(f"arc_autoconfig.cli.commands.{name}")
            command: click.Command = getattr(module, cmd_name)
            return command
        entry_point = _plugin_commands().get(cmd_name)
        return None if entry_point is None else _load_command(entry_point)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a plugin's runs only if the folder is trusted, when that is needed."""
        name, command, rest = super().resolve_command(ctx, args)
        if name not in COMMANDS and not set(ctx.help_option_names) & set(rest):
            from arc_autoconfig.cli.folder_trust import trusted_settings
            from arc_autoconfig.cli.options import chosen_settings, config_file

            trusted_settings(chosen_settings(ctx), config_file(ctx))
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        plugins = _plugin_commands().items()
        rows = [*COMMANDS.items(), *((name, f"Of {_origin(each)}.") for name, each in plugins)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with explain_errors(ctx):
            return super().invoke(ctx)


def _plugin_commands() -> dict[str, EntryPoint]:
    found = sorted(entry_points(group=COMMANDS_GROUP), key=lambda each: each.name)
    return {each.name: each for each in found if each.name not in COMMANDS}


def _load_command(entry_point: EntryPoint) -> click.Command:
    from arc_autoconfig.containment import Contained
    from arc_autoconfig.errors import describe_cause

    command: object = None
    with Contained() as attempt:
        command = entry_point.load()
    if attempt.error is not None:
        raise _load_failure(entry_point, describe_cause(attempt.error)) from attempt.error
    if not isinstance(command, click.Command):
        raise _load_failure(entry_point, "it is not a click command")
    return command


def _load_failure(entry_point: EntryPoint, cause: str) -> ConfigurationFailure:
    return ConfigurationFailure(
        f"the command {entry_point.name!r} of {_origin(entry_point)} cannot be loaded: {cause}\n"
        f"Update or uninstall that package."
    )


def _origin(entry_point: EntryPoint) -> str:
    distribution = entry_point.dist
    return f"{distribution.name} {distribution.version}" if distribution else entry_point.value


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="arc-agents", message="%(package)s %(version)s")
@wiring_options
def arc() -> None:
    """Run agents, and see what they are made of."""


def main() -> None:
    """Run the command line; the entry point of the script `arc`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None if the process was started without one
            stream.reconfigure(errors="backslashreplace")
    arc(prog_name="arc")


if __name__ == "__main__":
    main()
