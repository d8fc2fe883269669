"""`arc replay`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.invoking import invoke


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A file with the recording of one run."""
    file = tmp_path / "runs.jsonl"
    invoke("run", "--record", str(file), "Hello")
    return file


def test_an_unchanged_application_replays_the_same(recorded: Path) -> None:
    """The exit code is 0."""
    result = invoke("replay", str(recorded))

    assert (result.exit_code, result.stdout) == (0, "1 run: 1 same\n")


def test_a_difference_is_shown_and_is_exit_code_1(recorded: Path) -> None:
    """With the diff of the texts."""
    result = invoke("replay", str(recorded), "--set", "llm.system_prompt=Be brief.")

    assert result.exit_code == 1
    assert "turn 1: system prompt `llm.system_prompt`: its text has changed" in result.stdout
    assert "    +Be brief." in result.stdout
    assert result.stdout.endswith("1 run: 1 different\n")


def test_instructions_of_a_file_are_those_of_all_runs(recorded: Path, tmp_path: Path) -> None:
    """They stand in the place of the system prompt."""
    instructions = tmp_path / "prompt.txt"
    instructions.write_text("Be brief.")

    result = invoke("replay", str(recorded), "--instructions", str(instructions))

    assert result.exit_code == 1
    assert "+Be brief." in result.stdout


def test_differences_of_the_wiring_alone_fail_only_if_asked_to(recorded: Path) -> None:
    """They are notes on standard error."""
    changed = ("replay", str(recorded), "--set", "guard.rate_limit_per_minute=7")

    result, strict = invoke(*changed), invoke(*changed, "--strict")

    assert (result.exit_code, strict.exit_code) == (0, 1)
    assert "note: " in result.stderr


def test_json_has_the_outcome_of_each_run(recorded: Path) -> None:
    """And nothing else stands on standard output."""
    result = invoke("replay", str(recorded), "--set", "llm.temperature=1", "--json")

    found = json.loads(result.stdout)
    assert found["counts"] == {"different": 1}
    assert found["runs"][0]["difference"]["name"] == "temperature"


def test_a_model_can_be_asked_again(recorded: Path) -> None:
    """Its answers are shown."""
    result = invoke("replay", "--live", str(recorded))

    assert result.exit_code == 0
    assert "answered: " in result.stdout


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:-40], "line 1"),
        (lambda text: text.replace("arc-2", "arc-9", 1), "its layout is 'arc-9'"),
        (lambda text: "[1]\n", "it is not a recording"),
        (lambda text: '"' + "x" * 10_000_000 + '"\n', "it is not a recording"),
    ],
    ids=["cut off", "newer", "other", "large"],
)
def test_a_file_that_is_none_of_recordings_is_refused(
    recorded: Path, change: Callable[[str], str], said: str
) -> None:
    """The error names the file and the line."""
    recorded.write_text(change(recorded.read_text()))

    result = invoke("replay", str(recorded))

    assert result.exit_code == 1
    assert said in result.stderr
    assert "runs.jsonl" in result.stderr


def test_a_profile_is_laid_over_the_settings(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For this call alone."""
    monkeypatch.setenv("ARC_TRUST", "1")
    Path("arc.toml").write_text('[profiles.brief.llm]\nsystem_prompt = "Be brief."\n', "utf-8")

    plain = invoke("replay", str(recorded))
    brief = invoke("replay", str(recorded), "--profile", "brief")
    after = invoke("replay", str(recorded))

    assert (plain.exit_code, brief.exit_code, after.exit_code) == (0, 1, 0)
    assert "    +Be brief." in brief.stdout


def test_a_profile_that_does_not_exist_is_named(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the nearest name."""
    Path("arc.toml").write_text('[profiles.brief.llm]\nsystem_prompt = "Be brief."\n', "utf-8")

    result = invoke("replay", str(recorded), "--profile", "breif")

    assert result.exit_code == 2
    assert "'brief'" in result.stderr
