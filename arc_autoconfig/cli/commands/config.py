"""`arc config`: every setting, its value, and where the value came from."""

import json
from pathlib import Path

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.options import (
    chosen_settings,
    config_file,
    disabled_plugins,
    report_options,
)
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.tables import print_rows
from arc_autoconfig.cli.wiring import try_application
from arc_autoconfig.settings.inventory import config_view, list_settings
from arc_autoconfig.settings.model import list_files


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
    from arc_autoconfig.settings import ArcSettings
    from arc_autoconfig.settings.inputs.folder import SettingsFolder
    from arc_autoconfig.settings.inventory import settings_schema

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
