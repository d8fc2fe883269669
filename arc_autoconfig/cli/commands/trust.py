"""`arc trust`: the folders whose settings may run code and open connections."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from arc_autoconfig.cli.failures import ConfigurationFailure
from arc_autoconfig.cli.folder_trust import TrustedFolders, needs_in_words
from arc_autoconfig.cli.options import config_file, config_option, json_option
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inputs.folder import SettingsFolder
from arc_autoconfig.settings.trust_needs import trust_needs
from arc_autoconfig.visible_text import visible

T = TypeVar("T")


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
    config = config_file(ctx)
    if as_list and revoke:
        raise click.UsageError("--list and --revoke cannot be used together")
    if as_list:
        _show_all(as_json=as_json)
    elif revoke:
        _revoke(folder.resolve(), as_json=as_json)
    else:
        _trust(folder, config, as_json=as_json)


def _trust(path: Path, config: Path | None, *, as_json: bool) -> None:
    if not path.is_dir():
        raise ConfigurationFailure(f"{visible(str(path), one_line=True)} is not a folder")
    folder = SettingsFolder.read(path, config=config)
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
