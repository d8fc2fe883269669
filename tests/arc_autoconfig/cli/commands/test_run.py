"""`arc run`."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from arc_core.recordings import read_recording
from tests.arc_autoconfig.cli.invoking import (
    arc_process,
    invoke,
    read_until,
    started,
    with_looking_model,
    with_waiting_model,
)

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)
QUESTION = "What time is it in Seoul, and what is 12.5% of 2480?"


@pytest.mark.slow
def test_a_question_is_answered_with_tools() -> None:
    """The answer on standard output, the calls on standard error."""
    result = invoke("run", QUESTION)

    assert result.exit_code == 0
    assert "310" in result.stdout
    assert "Asia/Seoul" in result.stdout
    assert '→ calculate {"expression": "12.5% of 2480"}' in result.stderr
    assert "✓ current_time" in result.stderr


def test_json_is_all_there_is_on_standard_output() -> None:
    """Programs read the whole result."""
    result = json.loads(invoke("run", "--json", QUESTION).stdout)

    assert result["success"] is True
    assert "310" in result["content"]
    assert sorted(result["tools_used"]) == ["calculate", "current_time"]
    assert result["token_usage"]["prompt_tokens"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "is_told"), [([], True), (["--provider", "offline"], False), (["--json"], True)]
)
def test_the_offline_model_introduces_itself(options: list[str], *, is_told: bool) -> None:
    """On standard error, with the way to a language model, unless it was chosen."""
    result = invoke("run", "2+2", *options)

    assert ("OPENAI_API_KEY" in result.stderr) is is_told
    assert "OPENAI_API_KEY" not in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_failed_run_has_its_code(options: list[str]) -> None:
    """1, and the reason in words."""
    result = invoke("run", "", *options)

    assert result.exit_code == 1
    assert "The prompt has 0 characters" in result.output
    assert "Traceback" not in result.output


@pytest.mark.slow
@pytest.mark.parametrize(("options", "is_shown"), [([], False), (["--traceback"], True)])
def test_a_failed_model_is_a_line(options: list[str], *, is_shown: bool) -> None:
    """What people are told, what the log says in a line, and the traceback only when wanted."""
    process = started("run", "please fail", *with_waiting_model(), *options)

    _, stderr = process.communicate(timeout=20)

    assert process.returncode == 1
    assert "error: run failed" in stderr
    assert "The service cannot be reached." in stderr
    assert ("Traceback" in stderr) is is_shown


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--provider", "offlin"], "write 'offline'"),
        (["--set", "llm.provder=offline"], "write llm.provider"),
        (["--set", "llm.max_output_tokens=many"], "llm.max_output_tokens"),
        (["--set", "tools.builtin=calculte"], "write 'calculate'"),
        (["--no-plugin", "messags"], "write 'messages'"),
        (["--set", "plugins.load=no_such_module"], "no_such_module"),
    ],
)
def test_a_wrong_configuration_has_its_code(arguments: list[str], text: str) -> None:
    """2, and what to write instead; nothing on standard output."""
    result = invoke("run", "--json", "hi", *arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert text in result.stderr
    assert "Traceback" not in result.stderr


def test_the_prompt_can_come_from_standard_input() -> None:
    """`-` stands for it."""
    assert "310" in invoke("run", "-", stdin="12.5% of 2480?").stdout


def test_a_missing_prompt_is_wrong_usage() -> None:
    """Nothing is asked."""
    assert invoke("run").exit_code == 2


def test_the_limit_of_tool_calls_is_kept() -> None:
    """0 offers no tools."""
    result = json.loads(invoke("run", "--json", "--tool-limit", "0", QUESTION).stdout)

    assert result["tools_used"] == []


@pytest.mark.slow
def test_streams_of_a_process_are_kept_apart() -> None:
    """What a script reads from the pipe is the answer."""
    process = subprocess.run(
        arc_process("run", "12.5% of 2480?"), capture_output=True, text=True, check=True
    )

    assert process.stdout.startswith("- calculate(12.5% of 2480): 310\n")
    assert "→" not in process.stdout
    assert "\x1b" not in process.stdout + process.stderr


@pytest.mark.slow
def test_ctrl_c_ends_a_run_with_what_it_has_said() -> None:
    """Text comes out while the model still thinks; then 130, without a traceback."""
    process = started("run", "please wait", *with_waiting_model())

    read_until(process, "Half of please wait.")
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)

    assert process.returncode == 130
    assert "Traceback" not in stderr


@pytest.mark.slow
def test_a_closed_pipe_shows_no_traceback() -> None:
    """The reader may stop, as `head` does."""
    process = started("run", "please wait", *with_waiting_model())
    assert process.stdout is not None
    process.stdout.close()

    stderr = process.communicate(timeout=20)[1]

    assert process.returncode != 0
    assert "Traceback" not in stderr


@pytest.mark.slow
def test_files_are_attached_and_thoughts_are_aside() -> None:
    """As often as it is said, in the order in which they are said."""
    for name in ("cat.png", "dog.png"):
        Path(name).write_bytes(PNG)

    files = ("--attach", "cat.png", "--attach", "dog.png")
    stdout, stderr = started("run", "What?", *files, *with_looking_model()).communicate(timeout=20)

    assert stdout == "Seen: ['cat.png', 'dog.png']\n"
    assert "… Looking." in stderr


def test_a_file_that_cannot_be_attached_has_its_code() -> None:
    """2, the name of the file, and no model is asked."""
    result = invoke("run", "What?", "--attach", "missing.png")

    assert result.exit_code == 2
    assert "'missing.png' cannot be attached" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "is_told"),
    [
        (["--set", "response.max_length=100"], True),
        (["--set", "response.max_length=100", "--json"], False),
        (["--set", "response.max_length=100", "--set", "response.filters_enabled=false"], False),
        ([], False),
    ],
)
def test_filters_that_do_not_apply_to_the_stream_are_warned_of(
    options: list[str], *, is_told: bool
) -> None:
    """On standard error, by name, with what applies them."""
    result = invoke("run", "2+2", *options)

    assert ("(MaxLengthResponseFilter) do not change streamed answers" in result.stderr) is is_told
    assert result.exit_code == 0


def test_a_run_is_recorded_in_a_file(tmp_path: Path) -> None:
    """Each one adds a line, without what people said of themselves."""
    file = tmp_path / "runs.jsonl"

    for _ in range(2):
        invoke("run", "I am ann@example.com", "--record", str(file))

    lines = file.read_text("utf-8").splitlines()
    assert [read_recording(line).command.user_prompt for line in lines] == ["I am [email]"] * 2


def test_a_file_that_cannot_be_written_is_refused_before_the_run(tmp_path: Path) -> None:
    """The answer would be lost otherwise."""
    result = invoke("run", "2+2", "--record", str(tmp_path / "none" / "runs.jsonl"))

    assert result.exit_code == 2
    assert "No such file or directory" in result.stderr
    assert result.stdout == ""
