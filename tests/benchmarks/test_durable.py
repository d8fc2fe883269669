"""What durable runs hold, measured with few runs."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.durable.claims import Claims
from benchmarks.durable.databases import connect
from benchmarks.durable.deeds import Deed, done_again, repeated_alive
from tests.benchmarks.printed_rows import rows_of

pytestmark = pytest.mark.slow


def test_a_killed_run_pays_once() -> None:
    """The engine goes on where it was; a tool that may be called once is not called again."""
    head, *rows = rows_of("durable", "matrix", "--database", "sqlite", "--points", "model2", "pay")

    done = {row[0]: dict(zip(head[1:-2], row[1:-2], strict=True)) for row in rows}
    assert done["model2"] == {**dict.fromkeys(done["model2"], "1"), "model2": "2"}
    assert done["pay"]["pay"] == "1"
    assert [row[-2] for row in rows] == ["'r1: find look pay '", "'r1: find look '"]


@pytest.mark.timing
def test_a_call_gets_its_own_result_after_kills() -> None:
    """Also of a tool that is called five times at once, whatever the timing of hooks and tools."""
    rows = rows_of("durable", "jitter", "--database", "sqlite", "--runs", "6")

    holds = {row[0]: row[3] for row in rows if len(row) == 4 and row[3] in {"yes", "NO"}}
    assert holds["runs that were hit by a kill"] == "yes"
    assert holds["results of another call"] == "yes"
    assert set(holds.values()) == {"yes"}


def test_a_broken_claim_is_an_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    """All claims are printed first; those that hold end nothing."""
    claims = Claims()
    claims.equal("answers", 3, 3)
    claims.end()
    claims.at_most("runs at once", 17, 16)
    with pytest.raises(SystemExit, match="broken: runs at once"):
        claims.end()

    assert "runs at once | 17 | ≤ 16 | NO" in capsys.readouterr().out


def test_a_finished_step_that_is_done_again_is_seen(tmp_path: Path) -> None:
    """What began after its record counts; what began before it is what was recorded."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    with connect(url) as connection:
        connection.exec_driver_sql("CREATE TABLE arc_run_steps (run_id, key, at)")
        recorded = "('r', 'tool/0', '2026-11-22T07:00:00.000000Z')"
        connection.exec_driver_sql(f"INSERT INTO arc_run_steps VALUES {recorded}")
    at = datetime(2026, 11, 22, 7, tzinfo=UTC).timestamp()
    deeds = [Deed("r", "find", at - 1, pid=1), Deed("r", "find", at + 1, pid=2)]

    assert done_again(url, deeds) == 1
    assert done_again(url, deeds[:1]) == 0
    assert repeated_alive(deeds, killed={1}) == 0
    assert repeated_alive(deeds, killed=()) == 1


def test_a_worker_of_another_process_goes_on(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With runs that are submitted, and with those about which a person decides."""
    monkeypatch.setenv("ARC_TEST_POSTGRES_URL", postgres)
    head, *rows = rows_of("durable", "wakeups", "--runs", "2")

    assert [row[head.index("runs")] for row in rows] == ["2", "2"]
    assert all(float(row[head.index("max ms")]) > 0 for row in rows)
