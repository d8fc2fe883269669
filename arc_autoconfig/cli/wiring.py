"""Makes the application that the options of a command describe."""

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.options import chosen_settings, disabled_plugins
from arc_autoconfig.settings import ArcSettings
from arc_core.interfaces.chat_model import ChatModel

__all__ = ["announce_model", "application_for"]

_OFFLINE = (
    "Arc's offline model answers: it is no language model and only calls tools.\n"
    "Set OPENAI_API_KEY or ANTHROPIC_API_KEY to plug one in."
)


def application_for(ctx: click.Context) -> Application:
    """An application that is not started yet.

    It logs warnings and errors only, unless a setting says otherwise: what a person at a terminal
    is to know of a run is shown anyway.

    Raises:
        ConfigurationError: A setting, a plugin or the wiring is wrong.
    """
    chosen = chosen_settings(ctx)
    settings = ArcSettings(_command_line=chosen)
    if names := disabled_plugins(ctx):
        chosen["plugins.disabled"] = [*settings.plugins.disabled, *names]
    if settings.origin_of("logging.level") == "default":
        chosen["logging.level"] = "WARNING"
    return Application(ArcSettings(_command_line=chosen))


def announce_model(app: Application) -> None:
    """Say on standard error that the offline model answers, where nobody chose it."""
    winner = app.report.winner(ChatModel)
    if winner is not None and winner.name == "offline" and app.settings.llm.provider is None:
        click.secho(_OFFLINE, err=True, dim=True)
