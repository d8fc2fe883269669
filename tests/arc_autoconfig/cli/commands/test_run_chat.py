"""`arc chat`."""

import os
import pty
import re
import signal
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.invoking import (
    arc_process,
    read_until,
    started,
    with_looking_model,
    with_waiting_model,
)


class Terminal:
    """A terminal in which a process can be started."""

    def __init__(self) -> None:
        self._screen, self._line = pty.openpty()
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Run `arc`."""
        process = subprocess.Popen(
            arc_process(*arguments), stdin=self._line, stdout=self._line, stderr=subprocess.DEVNULL
        )
        self._processes.append(process)
        return process

    def write(self, keys: str) -> None:
        """Press keys."""
        os.write(self._screen, keys.encode())

    def read_until(self, text: str) -> str:
        """What appears up to a text."""
        seen = b""
        while not seen.endswith(text.encode()):
            seen += os.read(self._screen, 1)
        return seen.decode()

    def attributes(self) -> list[object]:
        """How the terminal treats what is typed."""
        return termios.tcgetattr(self._line)

    def close(self) -> None:
        """End what still runs, and the terminal."""
        for process in self._processes:
            process.kill()
            process.wait()
        os.close(self._screen)
        os.close(self._line)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """A terminal of the test's own."""
    terminal = Terminal()
    yield terminal
    terminal.close()


@pytest.mark.slow
def test_every_line_of_a_pipe_is_answered() -> None:
    """One session, blank lines are not questions, and the end of the input is the end."""
    process = started("chat")

    stdout, stderr = process.communicate("What is 2+2?\n\n12.5% of 2480?", timeout=20)

    assert process.returncode == 0
    assert "calculate(2+2): 4" in stdout
    assert "calculate(12.5% of 2480): 310" in stdout
    assert "Traceback" not in stderr


@pytest.mark.slow
def test_room_that_was_made_in_the_window_is_told_in_a_line() -> None:
    """Once the questions and answers of the session are more than fits."""
    process = started("chat", "--set", "llm.max_context_window_tokens=1200",
                      "--set", "llm.max_output_tokens=100")  # fmt: skip

    stdout, stderr = process.communicate(f"What is 2+2? {'0' * 400}\n" * 7, timeout=20)

    assert stdout.count("calculate(2+2): 4") == 7
    assert re.search(r"⤓ room was made in the window, .* tokens: \d+ exchanges left out\n", stderr)


@pytest.mark.slow
def test_a_file_is_attached_to_the_next_question() -> None:
    """And to no other; one that cannot be attached is told, and the session goes on."""
    Path("a cat.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(16))
    process = started("chat", *with_looking_model())
    lines = "/attach missing.png\n/attach\n/attach a cat.png\nWhat?\nAnd now?\n"

    stdout, stderr = process.communicate(lines, timeout=20)

    assert stdout == "Seen: ['a cat.png']\nSeen: []\n"
    assert "'missing.png' cannot be attached" in stderr
    assert "name a file: /attach FILE" in stderr
    assert "attached a cat.png (image/png, 24 bytes)" in stderr


@pytest.mark.slow
def test_a_failed_run_does_not_end_the_session() -> None:
    """The reason is told, and the next question is answered."""
    process = started("chat", "--set", "guard.max_input_chars=10")

    stdout, stderr = process.communicate("a question that is too long\n2+2?\n", timeout=20)

    assert process.returncode == 0
    assert "more than the 10 allowed" in stderr
    assert "calculate(2+2): 4" in stdout


@pytest.mark.slow
def test_ctrl_c_cancels_the_answer_only() -> None:
    """The session goes on with the next question."""
    process = started("chat", *with_waiting_model())
    assert process.stdin is not None
    process.stdin.write("wait\n")
    process.stdin.flush()
    read_until(process, "Half of wait.")

    process.send_signal(signal.SIGINT)
    read_until(process, "\n")
    stdout, stderr = process.communicate("next\n", timeout=20)

    assert process.returncode == 0
    assert "cancelled" in stderr
    assert stdout == "Half of next. All.\n"


@pytest.mark.slow
def test_ctrl_d_leaves_a_terminal(terminal: Terminal) -> None:
    """There is a prompt for every question."""
    process = terminal.start("chat")
    terminal.read_until("> ")
    terminal.write("2+2?\r")
    answer = terminal.read_until("together.") + terminal.read_until("> ")
    terminal.write("\x04")

    assert process.wait(timeout=20) == 0
    assert "calculate(2+2): 4" in answer


@pytest.mark.slow
def test_ctrl_c_without_an_answer_leaves(terminal: Terminal) -> None:
    """There is nothing to cancel but the session, and the terminal is left as it was found."""
    attributes = terminal.attributes()
    process = terminal.start("chat")
    terminal.read_until("> ")

    process.send_signal(signal.SIGINT)

    assert process.wait(timeout=20) == 130
    assert terminal.attributes() == attributes


@pytest.mark.slow
def test_a_wrong_configuration_has_its_code() -> None:
    """2, before anything is asked."""
    process = started("chat", "--provider", "offlin")

    _, stderr = process.communicate(timeout=20)

    assert process.returncode == 2
    assert "write 'offline'" in stderr
