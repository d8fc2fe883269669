"""Runs the script `arc` in processes that are forked from one that has imported it.

A fork has streams, a folder, variables and an end of its own, as a process that was started by
itself has; only what it would import is there already. So a run costs a tenth. What a test says of
imports, or of how Python starts, needs a process that is started for it.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["ForkedArc"]

_PROGRAM = """
import gc, json, os, runpy, signal, sys
import anthropic, openai, wcwidth
from arc_autoconfig import Application, ArcSettings

settings = ArcSettings(llm={"provider": "offline"}, plugins={"disabled": sys.argv[1:]})
Application(settings, plugins=False).run("2+2")
gc.collect()
gc.freeze()  # a fork that does not look at these objects does not copy them
for line in sys.stdin:
    call = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
else:
    sys.exit()

signal.alarm(60)
os.chdir(call["folder"])
os.environ.clear()
os.environ.update(call["variables"])
files = [os.open("/dev/null", os.O_RDONLY)]
files += [os.open(call[name], os.O_WRONLY | os.O_CREAT) for name in ("stdout", "stderr")]
for number, file in enumerate(files):
    os.dup2(file, number)
    os.close(file)
sys.stdin = open(0, encoding="utf-8", closefd=False)  # or it closes what is closed below
for number in call["closed"]:
    os.close(number)
    for name in ("{}", "__{}__"):
        setattr(sys, name.format(("stdin", "stdout", "stderr")[number]), None)
sys.path[0] = os.path.dirname(call["script"])
sys.argv = [call["script"], *call["arguments"]]
runpy.run_path(call["script"], run_name="__main__")
"""


@dataclass(frozen=True)
class ForkedArc:
    """The process that forks. It ends with the `with` block."""

    _process: subprocess.Popen[str]

    @classmethod
    def start(
        cls, python: str, variables: dict[str, str], *, disabled: Sequence[str] = ()
    ) -> "ForkedArc":
        """Start the process; it imports while the caller goes on.

        Args:
            python: Which sees the plugins that are to take part.
            variables: Of its environment; none may be a setting or a key.
            disabled: Plugins without which alone an application can be made; forks have them.
        """
        command, folder = [python, "-c", _PROGRAM, *disabled], Path(python).parent
        return cls(
            subprocess.Popen(
                command, cwd=folder, env=variables,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
        )  # fmt: skip

    def __enter__(self) -> "ForkedArc":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(
        self, *arguments: str, folder: Path, variables: dict[str, str], closed: tuple[int, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run the script `arc` to its end, without input; after a minute it is killed.

        Args:
            arguments: Of the command.
            folder: Where it runs.
            variables: All variables of its environment.
            closed: The standard streams, by number, that it does not have.
        """
        with TemporaryDirectory() as kept:
            files = {name: Path(kept, name) for name in ("stdout", "stderr")}
            call = {
                "script": str(Path(sys.executable).with_name("arc")), "arguments": arguments,
                "folder": str(folder), "variables": variables, "closed": closed,
                **{name: str(file) for name, file in files.items()},
            }  # fmt: skip
            exit_code = self._ask(json.dumps(call))
            texts = {name: file.read_text("utf-8") for name, file in files.items()}
        return subprocess.CompletedProcess(arguments, exit_code, **texts)

    def _ask(self, call: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{call}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())
