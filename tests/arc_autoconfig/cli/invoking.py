"""Calls the command line, inside this process and outside of it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from click.testing import CliRunner, Result

from arc_autoconfig.cli.main import arc

WAITING_MODEL = '''
import asyncio

from arc_core import ChatDelta, ChatModel, FinishReason, ModelUnavailableError


class WaitingModel(ChatModel):
    """Says half of it, and then waits for ever or fails where the question says so."""

    async def complete(self, request):
        raise NotImplementedError

    async def stream(self, request):
        question = request.messages[-1].content
        yield ChatDelta(text=f"Half of {question}.")
        if "fail" in question:
            raise ModelUnavailableError("it is down")
        if "wait" in question:
            await asyncio.Event().wait()
        yield ChatDelta(text=" All.", finish_reason=FinishReason.STOP)
'''

LOOKING_MODEL = '''
from arc_core import ChatDelta, ChatModel, FinishReason, Text


class LookingModel(ChatModel):
    """Says what is attached to the question, and thinks about it."""

    def accepts(self, media_type):
        return True

    async def complete(self, request):
        raise NotImplementedError

    async def stream(self, request):
        content = request.messages[-1].content
        parts = () if isinstance(content, str) else content
        names = [part.name for part in parts if not isinstance(part, Text)]
        yield ChatDelta(reasoning="Looking.")
        yield ChatDelta(text=f"Seen: {names}", finish_reason=FinishReason.STOP)
'''


# What a shell starts in the background ignores Ctrl-C, and so would everything that tests start.
_PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from arc_autoconfig.cli.main import main
main()
"""


def invoke(*arguments: str, stdin: str | None = None) -> Result:
    """Run `arc` in this process; an exception that is not an exit is raised again."""
    result = CliRunner().invoke(arc, arguments, input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def arc_process(*arguments: str) -> list[str]:
    """The command line of a process that runs `arc` as its script does."""
    return [sys.executable, "-c", _PROGRAM, *arguments]


def started(*arguments: str) -> subprocess.Popen[str]:
    """A running `arc` whose streams can be written and read."""
    return subprocess.Popen(
        arc_process(*arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    )


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A running `arc` that is killed in the end, if a test has not ended it."""
    with started(*arguments) as process:
        try:
            yield process
        finally:
            process.kill()


def with_waiting_model() -> tuple[str, ...]:
    """Options that put a model in charge which a question can make wait or fail."""
    Path("waiting_model.py").write_text(WAITING_MODEL, "utf-8")
    return ("--set", "plugins.load=waiting_model:WaitingModel")


def with_looking_model() -> tuple[str, ...]:
    """Options that put a model in charge which says what is attached."""
    Path("looking_model.py").write_text(LOOKING_MODEL, "utf-8")
    return ("--set", "plugins.load=looking_model:LookingModel")


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """What a process writes to standard output up to a text."""
    assert process.stdout is not None
    written = ""
    while not written.endswith(text):
        piece = process.stdout.read(1)
        assert piece, f"the process ended after {written!r}"
        written += piece
    return written
