"""`arc run`: one question, one answer."""

import asyncio
import sys
from typing import TextIO

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.kept_runs import outlives_process
from arc_autoconfig.cli.options import agent_option, json_option, model_options, wiring_options
from arc_autoconfig.cli.output.json_output import print_form
from arc_autoconfig.cli.output.run_view import RunView, get_exit_code
from arc_autoconfig.cli.wiring import announce_model, application_for, check_agent, warn_of_filters
from arc_core.command import AgentCommand
from arc_core.messages.content import Attachment
from arc_core.result import AgentResult

_RECORD = "arc.record"
"""The key of `ctx.meta` for the file to which the recording is added."""


def _keep_file(ctx: click.Context, _option: click.Parameter, file: TextIO | None) -> None:
    if file is not None:
        ctx.meta[_RECORD] = file


@click.command()
@click.argument("prompt")
@click.option("--session", help="The conversation it belongs to.")
@click.option("--user", help="Who asks.")
@click.option(
    "--attach",
    "files",
    metavar="FILE",
    multiple=True,
    help="An image, a document or a sound that belongs to the question; may be repeated.",
)
@click.option(
    "--record",
    expose_value=False,
    callback=_keep_file,
    metavar="FILE",
    type=click.File("a", encoding="utf-8", lazy=False),
    help="Add a recording of the run to a file; secrets and personal data are masked.",
)
@agent_option
@json_option
@model_options
@wiring_options
@click.pass_context
def run(
    ctx: click.Context,
    *,
    prompt: str,
    session: str | None,
    user: str | None,
    files: tuple[str, ...],
    agent: str | None,
    as_json: bool,
) -> None:
    """Ask once, and print the answer as it comes.

    PROMPT is the question; - reads it from standard input. The answer goes to standard output, what
    tools do and what the model thinks to standard error.
    """
    text = prompt
    if prompt == "-":
        text = "" if sys.stdin is None else sys.stdin.read()
    record_to: TextIO | None = ctx.meta.get(_RECORD)
    app = application_for(ctx, record=record_to is not None)
    most = app.settings.llm.max_attachment_bytes
    attachments = tuple(Attachment.from_path(file, max_bytes=most) for file in files)
    command = AgentCommand(
        user_prompt=text, attachments=attachments, session_id=session, user_id=user, agent=agent
    )
    check_agent(app, agent)
    announce_model(app)
    if not as_json:
        warn_of_filters(app)
    result = asyncio.run(_run(app, command, as_json=as_json, record_to=record_to))
    if as_json:
        print_form(result)
    ctx.exit(get_exit_code(result))


async def _run(
    app: Application, command: AgentCommand, *, as_json: bool, record_to: TextIO | None
) -> AgentResult:
    async with app:
        result = await app.execute(command) if as_json else await _show(app, command)
        if record_to is not None:
            async for line in app.export([result.run_id]):
                record_to.write(f"{line}\n")
        return result


async def _show(app: Application, command: AgentCommand) -> AgentResult:
    view = RunView(outlives_process=outlives_process(app))
    async with app.stream(command) as run:
        async for event in run.events():
            view.show(event)
        return await run.result()
