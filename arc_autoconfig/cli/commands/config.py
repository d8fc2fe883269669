"""`arc config`: every setting and where it came from; `arc trust`: the folders that may set it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import ConfigurationFailure
from arc_autoconfig.cli.folder_trust import TrustedFolders, needs_in_words
from arc_autoconfig.cli.options import (
    chosen_settings,
    config_file,
    config_option,
    disabled_plugins,
    json_option,
    report_options,
)
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.tables import print_rows
from arc_autoconfig.cli.wiring import try_application
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inputs.folder import SettingsFolder
from arc_autoconfig.settings.inventory import config_view, list_settings, settings_schema
from arc_autoconfig.settings.sources import list_files
from arc_autoconfig.settings.trust_needs import trust_needs
from arc_autoconfig.visible_text import visible

T = TypeVar("T")


@click.command()
@click.option("--schema", "as_schema", is_flag=True, help="Print a JSON Schema of all settings.")
@report_options
def config(ctx: click.Context, *, as_schema: bool, as_json: bool) -> None:
    """Show every setting, and where its value came from.

    Secrets are masked; what comes from variables by ${NAME} is shown as it is written. The sections
    of plugins are shown as their components read them. Below them stand the files that were looked
    for. --schema prints what an editor needs to complete and check arc.toml.
    """
    if as_schema:
        _print_schema(ctx)
        return
    app, problem = try_application(ctx, Application.build)
    if as_json:
        print_json(config_view(app.settings, app.plugin_sections))
    else:
        _print_tables(app)
    if problem is not None:
        raise problem


def _print_schema(ctx: click.Context) -> None:
    folder = SettingsFolder.read(Path.cwd(), config=config_file(ctx))
    chosen = dict(chosen_settings(ctx))
    if names := disabled_plugins(ctx):
        chosen["plugins.disabled"] = names
    print_json(settings_schema(ArcSettings.complete(_command_line=chosen, _folder=folder)))


def _print_tables(app: Application) -> None:
    settings = list_settings(app.settings, app.plugin_sections)
    rows = [(each.key, _text(each.value), each.origin) for each in settings]
    print_rows(("Setting", "Value", "From"), rows, folded=("Value",))
    sources = app.settings.sources
    print_rows(("File", "State"), [(each.path, each.state) for each in list_files(sources)])
    if sources.profiles:
        click.echo(f"Active profiles: {', '.join(sources.profiles)}")


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@click.command()
@click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), default=".", required=False
)
@click.option("--revoke", is_flag=True, help="Trust the folder no longer.")
@click.option("--list", "as_list", is_flag=True, help="Show the folders that are trusted.")
@config_option
@json_option
@click.pass_context
def trust(ctx: click.Context, *, folder: Path, revoke: bool, as_list: bool, as_json: bool) -> None:
    """Trust the settings files of a folder, as they are now.

    FOLDER is the current one if it is left out. What its arc.toml, pyproject.toml and .env set may
    then run code, open connections, and say where prompts and keys are sent. Whenever one of these
    files changes, the folder has to be trusted again. With --config it is that file, and not
    arc.toml and pyproject.toml, that is trusted.
    """
    if as_list and revoke:
        raise click.UsageError("--list and --revoke cannot be used together")
    if as_list:
        _show_all(as_json=as_json)
    elif revoke:
        _revoke(folder.resolve(), as_json=as_json)
    else:
        _trust(folder, config_file(ctx), as_json=as_json)


def _trust(path: Path, named: Path | None, *, as_json: bool) -> None:
    if not path.is_dir():
        raise ConfigurationFailure(f"{visible(str(path), one_line=True)} is not a folder")
    folder = SettingsFolder.read(path, config=named)
    needs = trust_needs(ArcSettings.complete(_folder=folder), folder)
    _write(lambda: TrustedFolders().remember(folder))
    if as_json:
        print_json({"folder": folder.trusted_as, "trusted": [need.key for need in needs]})
        return
    click.echo(f"{visible(folder.trusted_as, one_line=True)} is trusted.")
    if needs:
        click.echo("\n".join(["These settings count now:", *needs_in_words(needs)]))


def _revoke(path: Path, *, as_json: bool) -> None:
    was_trusted = _write(lambda: TrustedFolders().forget(path))
    if as_json:
        print_json({"folder": str(path), "revoked": was_trusted})
    else:
        state = "is no longer trusted" if was_trusted else "was not trusted"
        click.echo(f"{visible(str(path), one_line=True)} {state}.")


def _show_all(*, as_json: bool) -> None:
    folders = TrustedFolders().digests()
    if as_json:
        print_json(list(folders))
    else:
        click.echo("".join(f"{visible(path, one_line=True)}\n" for path in folders), nl=False)


def _write(change: Callable[[], T]) -> T:
    try:
        return change()
    except OSError as error:
        raise ConfigurationFailure(
            f"what is trusted cannot be written down: {error}\n"
            "Make your configuration folder writable, or set ARC_TRUST=1 in the environment."
        ) from error
