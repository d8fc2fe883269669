"""`arc eval`: exit codes, the table, JSON, JUnit, and comparisons; all offline."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from arc_core.evaluation.case_files import read_case_set
from tests.arc_autoconfig.cli.invoking import invoke

CASE = 'prompt = "What is 12 * 12?"\nexpect = {{ contains = "{}", tools.called = "calculate" }}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a case that passes and one that does not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.toml").write_text(CASE.format("144"), "utf-8")
    (tmp_path / "bad.toml").write_text(CASE.format("145"), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        (["good.toml"], 0, "passes"),
        (["bad.toml"], 1, "fails"),
        (["good.toml", "--trials", "5"], 3, "cannot tell"),
    ],
)
def test_the_exit_code_is_the_verdict(arguments: list[str], code: int, verdict: str) -> None:
    """And the table says it, too."""
    result = invoke("eval", *arguments)

    assert result.exit_code == code, result.output
    assert verdict in result.stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "name files or folders of cases"),
        (["good.toml", "--trials", "0"], "0 is not in the range"),
        (["good.toml", "--confidence", "1"], "below 1"),
        (["good.toml", "--budget", "-1"], "above 0"),
        (["gone.toml"], "cannot be read"),
        (["good.toml", "--against", "good.toml"], "is not a report"),
        (["good.toml", "--budget", "1"], "cost of a run is not known"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], problem: str) -> None:
    """With what to do."""
    result = invoke("eval", *arguments)

    assert result.exit_code == 2, result.output
    assert problem in result.stderr


def test_a_report_is_compared_with_an_earlier_one(folder: Path) -> None:
    """A case that is worse than before is a regression."""
    earlier = invoke("eval", "good.toml", "--json")
    (folder / "report.json").write_text(earlier.stdout, "utf-8")
    (folder / "good.toml").write_text(CASE.format("145"), "utf-8")

    result = invoke("eval", "good.toml", "--against", "report.json")

    assert json.loads(earlier.stdout)["cases"][0]["verdict"] == "passes"
    assert result.exit_code == 1
    assert "good: regression (100% before, 0% now)" in result.stderr


def test_a_build_server_gets_a_report(folder: Path) -> None:
    """What fails is a failure, what cannot tell an error."""
    invoke("eval", "good.toml", "bad.toml", "--trials", "5", "--junit", "report.xml")

    suite = ET.parse(folder / "report.xml").getroot()
    found = {case.get("name"): [child.tag for child in case] for case in suite}
    assert found == {"good": ["error"], "bad": ["failure"]}
    assert (suite.get("failures"), suite.get("errors")) == ("1", "1")


def test_cases_are_written_from_recordings(tmp_path: Path) -> None:
    """As a file of cases, which is read as any other."""
    recording, cases = tmp_path / "runs.jsonl", tmp_path / "cases.json"
    invoke("run", "2+2", "--record", str(recording))

    written = invoke("eval", "--from-recording", str(recording))
    cases.write_text(written.stdout, "utf-8")

    assert written.exit_code == 0
    [case] = read_case_set(cases).cases
    assert case.prompt == "2+2"
    assert case.expect.tools.in_order == ("calculate",)


def test_a_recording_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """With the line."""
    file = tmp_path / "runs.jsonl"
    file.write_text("{}\n", "utf-8")

    result = invoke("eval", "--from-recording", str(file))

    assert result.exit_code != 0
    assert "line 1" in result.stderr
    assert result.stdout == ""


def test_a_file_without_recordings_makes_no_cases(tmp_path: Path) -> None:
    """The error names the file."""
    (tmp_path / "empty.jsonl").write_text("\n", "utf-8")

    result = invoke("eval", "--from-recording", "empty.jsonl")

    assert (result.exit_code, result.stdout) == (1, "")
    assert "empty.jsonl has no recording." in result.stderr
