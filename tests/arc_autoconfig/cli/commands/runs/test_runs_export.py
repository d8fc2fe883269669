"""`arc runs export`."""

from pathlib import Path

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core.recordings import read_recording
from tests.arc_autoconfig.cli.invoking import invoke

pytestmark = pytest.mark.slow

MAIL = "ann@example.com"


@pytest.fixture(autouse=True)
def _database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARC_DURABLE__ENABLED", "true")
    monkeypatch.setenv("ARC_DURABLE__URL", f"sqlite:///{tmp_path / 'runs.db'}")


def test_runs_are_chosen_by_their_age_and_their_agent() -> None:
    """Oldest first, a line each; nothing else stands on standard output."""
    for prompt in ("first", "second"):
        invoke("run", prompt)

    lines = invoke("runs", "export", "--since", "1h", "--agent", "default").stdout.splitlines()
    none = invoke("runs", "export", "--agent", "other")

    assert [read_recording(line).command.user_prompt for line in lines] == ["first", "second"]
    assert (none.exit_code, none.stdout) == (0, "")


def test_a_raw_export_is_confirmed() -> None:
    """On standard error; without an answer nothing is exported."""
    invoke("run", f"I am {MAIL}")

    asked = invoke("runs", "export", "--since", "1h", "--raw")
    raw = invoke("runs", "export", "--since", "1h", "--raw", "--yes")
    masked = invoke("runs", "export", "--since", "1h")

    assert asked.exit_code != 0
    assert asked.stdout == ""
    assert "Export all of it?" in asked.stderr
    assert MAIL in raw.stdout
    assert MAIL not in masked.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name runs by their ids, or by --since or --agent"),
        (("--since", "a week"), "write a number and m, h, d or w, as in 7d"),
        (("--since", f"{'9' * 30}w"), "that is longer than there are runs"),
        (("none",), "there is no run 'none'"),
    ],
)
def test_what_cannot_be_exported_is_said(arguments: tuple[str, ...], said: str) -> None:
    """On standard error, and nothing is written."""
    result = invoke("runs", "export", *arguments)

    assert result.exit_code != 0
    assert said in result.stderr
    assert result.stdout == ""
