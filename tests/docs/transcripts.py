"""Consoles of the documentation, whose commands a shell is given and whose output is compared.

In a page `…` stands for anything in a line, `5b1c…` for an id, the same one wherever it stands, and
a time for any other.
"""

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.docs.pages import blocks

__all__ = ["Shell", "Step", "open_shell", "steps"]

_COMMAND = re.compile(r"^\$ ", re.MULTILINE)
_ID = re.compile(r"\b[0-9a-f]{4}…")
_GAP = re.compile(rf"({_ID.pattern})|…|\d{{4}}-\d\d-\d\d \d\d:\d\d")
_PORT = re.compile(r"--port (\d+)")
_END = "-- the end of a command --"


@dataclass(frozen=True)
class Step:
    """A command of a page, and what it prints there."""

    command: str
    output: str


def steps(page: str) -> Iterator[Step]:
    """The commands of all consoles of a page, in order, without those that install."""
    for block in blocks(page):
        if block.language == "console":
            for part in _COMMAND.split(block.text)[1:]:
                command, _, output = part.partition("\n")
                if not command.startswith("pip install"):
                    yield Step(command, output)


@dataclass
class Shell:
    """A shell that remembers ids, and keeps what programs in the background print in a file."""

    typed: IO[str]
    printed: IO[str]
    log: Path
    ids: dict[str, str] = field(default_factory=dict)

    def follow(self, step: Step) -> str:
        """Type the command of a page, and return its output.

        Raises:
            AssertionError: It prints something else than in the page.
        """
        command = _ID.sub(lambda found: self.ids[found[0]], step.command)
        if command.endswith("&"):
            port = _PORT.findall(command)[0]
            program = f"{command.removesuffix('&')} >> {shlex.quote(str(self.log))} 2>&1 &"
            wait = "curl -s -o /dev/null --retry 60 --retry-delay 1 --retry-connrefused"
            self._type(f"{program}\n{wait} http://127.0.0.1:{port}/")
            return ""
        printed = self._type(command)
        found = re.fullmatch(_make_pattern(step.output.strip()), printed.strip())
        assert found, f"{command} prints\n{printed}\nand in the page\n{step.output}"
        named = found.groupdict().items()
        self.ids |= {f"{name.removeprefix('id')}…": value for name, value in named}
        return printed

    def _type(self, commands: str) -> str:
        """The commands leave their exit code to the next ones."""
        self.typed.write(f"{commands}\ncode=$?; echo '{_END}'; (exit $code)\n")
        self.typed.flush()
        lines = iter(self.printed.readline, f"{_END}\n")
        printed = []
        for line in lines:
            assert line, f"the shell has ended in {commands}"
            printed.append(line)
        return "".join(printed)


def _make_pattern(output: str) -> str:
    """An expression for an output of a page."""
    pattern, at = "", 0
    for gap in _GAP.finditer(output):
        pattern += re.escape(output[at : gap.start()])
        at = gap.end()
        name = f"id{gap[0].removesuffix('…')}"
        if gap[1] is None:
            pattern += ".*"
        else:
            pattern += f"(?P={name})" if f"<{name}>" in pattern else rf"(?P<{name}>\S+)"
    return pattern + re.escape(output[at:])


@contextmanager
def open_shell(folder: Path, environment: Mapping[str, str]) -> Iterator[Shell]:
    """A shell in a folder, whose programs in the background end with it."""
    with subprocess.Popen(
        ["bash"],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as bash:
        assert bash.stdin is not None
        assert bash.stdout is not None
        try:
            yield Shell(bash.stdin, bash.stdout, folder / "background.log")
            bash.stdin.write("kill $(jobs -p); wait\n")
            bash.stdin.close()
            bash.wait()
        finally:
            with suppress(ProcessLookupError):  # nothing is left, if all has gone well
                os.killpg(bash.pid, signal.SIGKILL)
