"""`arc run`: one question, one answer; `arc chat`: question after question in one session."""

import asyncio
import os
import signal
import sys
import uuid
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import INTERRUPTED
from arc_autoconfig.cli.kept_runs import outlives_process
from arc_autoconfig.cli.options import agent_option, json_option, model_options, wiring_options
from arc_autoconfig.cli.output.json_output import print_form
from arc_autoconfig.cli.output.run_view import RunView, get_exit_code
from arc_autoconfig.cli.signals import handled_signals
from arc_autoconfig.cli.wiring import announce_model, application_for, check_agent, warn_of_filters
from arc_autoconfig.visible_text import visible
from arc_core.command import AgentCommand
from arc_core.messages.content import Attachment, AttachmentError
from arc_core.result import AgentResult
from arc_core.tools.threads import run_in_thread

T = TypeVar("T")

_ATTACH = "/attach"
_PROMPT = "> "
_CHUNK_BYTES = 65_536

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
        if as_json:
            result = await app.execute(command)
        else:
            result = await _show(app, command, RunView(outlives_process=outlives_process(app)))
        if record_to is not None:
            async for line in app.export([result.run_id]):
                record_to.write(f"{line}\n")
        return result


async def _show(app: Application, command: AgentCommand, view: RunView) -> AgentResult:
    async with app.stream(command) as run:
        async for event in run.events():
            view.show(event)
        return await run.result()


class LineReader:
    """Reads standard input; on a terminal with a prompt and line editing.

    A thread that waits for input cannot be stopped, only abandoned. So it must hold no lock that
    the end of the process needs: `input` holds none on a terminal, and for a pipe `os.read` does.
    """

    def __init__(self) -> None:
        streams = (sys.stdin, sys.stdout)  # None if the process was started without one
        self._is_terminal = all(each is not None and each.isatty() for each in streams)
        self._buffer = b""

    async def line(self) -> str | None:
        """The next line without its end; None when there is no more."""
        if self._is_terminal:
            line: str | None = await run_in_thread(_read_typed_line)
            return line
        while b"\n" not in self._buffer:
            chunk: bytes = await run_in_thread(_read_chunk)
            if not chunk:
                break
            self._buffer += chunk
        line_bytes, end, self._buffer = self._buffer.partition(b"\n")
        return line_bytes.decode(errors="replace") if line_bytes or end else None

    @contextmanager
    def editing(self) -> Iterator[None]:
        """Line editing and history on a terminal, which is left as it was found."""
        if not self._is_terminal:
            yield
            return
        try:
            import readline  # noqa: F401 -- `input` edits with it
            import termios
        except ImportError:  # Windows edits by itself
            yield
            return
        attributes = termios.tcgetattr(sys.stdin)
        try:
            yield
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, attributes)


def _read_typed_line() -> str | None:
    try:
        return input(_PROMPT)
    except EOFError:
        return None


def _read_chunk() -> bytes:
    if sys.stdin is None:
        return b""
    return os.read(sys.stdin.fileno(), _CHUNK_BYTES)


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
    conversation = _ChatSession(
        app, session_id=session or str(uuid.uuid4()), user_id=user, agent=agent
    )
    if not asyncio.run(conversation.hold()):
        click.echo(err=True)
        ctx.exit(INTERRUPTED)


class _ChatSession:
    """Asks what is typed and shows what is answered."""

    def __init__(
        self, app: Application, *, session_id: str, user_id: str | None, agent: str | None = None
    ) -> None:
        self._app = app
        self._session_id, self._user_id, self._agent = session_id, user_id, agent
        self._lines = LineReader()
        self._view = RunView()
        self._attached: list[Attachment] = []
        self._current: asyncio.Task[Any] | None = None

    async def hold(self) -> bool:
        """Ask and answer until the input ends; False if Ctrl-C was pressed between answers."""
        async with self._app:
            with self._lines.editing(), handled_signals(self._interrupt, signal.SIGINT):
                while not (reading := await self._interruptible(self._lines.line())).cancelled():
                    line = reading.result()
                    if line is None:
                        return True
                    command, _, rest = line.strip().partition(" ")
                    if command == _ATTACH:
                        self._attach(rest.strip())
                    elif command:
                        await self._answer(line)
        return False

    def _attach(self, file: str) -> None:
        """Keep a file for the next question."""
        if not file:
            click.secho(f"Error: name a file: {_ATTACH} FILE", err=True, fg="red")
            return
        try:
            most = self._app.settings.llm.max_attachment_bytes
            attachment = Attachment.from_path(Path(file).expanduser(), max_bytes=most)
        except (AttachmentError, RuntimeError) as error:  # the latter for an unknown home
            click.secho(f"Error: {visible(str(error))}", err=True, fg="red")
            return
        self._attached.append(attachment)
        size = len(attachment.data or b"")
        line = f"attached {attachment.name} ({attachment.media_type}, {size} bytes)"
        click.secho(visible(line, one_line=True), err=True, dim=True)

    async def _answer(self, prompt: str) -> None:
        self._view = RunView(outlives_process=outlives_process(self._app))
        showing = await self._interruptible(self._show(prompt))
        if showing.cancelled():
            self._view.end_line()
            click.secho("cancelled", err=True, dim=True)
        else:
            showing.result()

    async def _show(self, prompt: str) -> None:
        attachments, self._attached = tuple(self._attached), []
        command = AgentCommand(
            user_prompt=prompt,
            attachments=attachments,
            session_id=self._session_id,
            user_id=self._user_id,
            agent=self._agent,
        )
        await _show(self._app, command, self._view)

    async def _interruptible(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Wait until the work has ended, or was cancelled by Ctrl-C."""
        task = asyncio.create_task(work)
        self._current = task
        try:
            await asyncio.wait([task])
        finally:
            self._current = None
            task.cancel()
        return task

    def _interrupt(self) -> None:
        """Let Ctrl-C cancel what is waited for, instead of everything."""
        if self._current is not None:
            self._current.cancel()
