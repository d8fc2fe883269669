"""`arc chat`: question after question in one session."""

import asyncio
import uuid

import click

from arc_autoconfig.cli.chat_session import ChatSession
from arc_autoconfig.cli.failures import INTERRUPTED
from arc_autoconfig.cli.options import model_options, wiring_options
from arc_autoconfig.cli.wired_agents import agent_option, check_agent
from arc_autoconfig.cli.wiring import announce_model, application_for, warn_of_filters

__all__ = ["chat"]


@click.command()
@click.option("--session", help="The conversation to go on with; a new one without.")
@click.option("--user", help="Who asks.")
@agent_option
@model_options
@wiring_options
@click.pass_context
def chat(ctx: click.Context, *, session: str | None, user: str | None, agent: str | None) -> None:
    """Talk, in one session.

    A line is a question; /attach FILE adds a file to the next one. Ctrl-C cancels the answer,
    Ctrl-D leaves.
    """
    app = application_for(ctx)
    check_agent(app, agent)
    announce_model(app)
    warn_of_filters(app)
    conversation = ChatSession(
        app, session_id=session or str(uuid.uuid4()), user_id=user, agent=agent
    )
    if not asyncio.run(conversation.hold()):
        click.echo(err=True)
        ctx.exit(INTERRUPTED)
