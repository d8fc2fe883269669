"""What a process finds that it has to see to."""

from collections.abc import Sequence

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from sqlalchemy import Connection, event, insert

from arc_plugins.journals.sql.tables import LAYOUT, runs
from arc_plugins.journals.sql.upkeep import look, requeue_of_executor

_ROW = {
    "layout": LAYOUT, "state": "queued", "queue": "q", "command": "{}", "ticket": 0,
    "carried": False, "crashes": 0, "cancelling": False, "told": 0, "created_at": "2026-01-01",
}  # fmt: skip
_LATER = "2999-01-01T00:00:00.000000Z"
_LONG = 5_000


def _add(connection: Connection, *run_ids: str, **columns: str | None) -> None:
    rows = [{**_ROW, "run_id": run_id, "not_before": None, **columns} for run_id in run_ids]
    connection.execute(insert(runs), rows)


def _look(connection: Connection, *queues: str) -> tuple[Sequence[str], str | None]:
    """The queues with a run that is due, and when to look next."""
    found = look(connection, executor="here", is_file=False, queues=queues)
    return found.queues, found.next_at


def test_a_run_for_later_is_looked_for_once_none_is_due(connection: Connection) -> None:
    """A process that takes none of its queue looks for none."""
    _add(connection, "later", not_before=_LATER)
    alone = _look(connection, "q"), _look(connection, "other"), _look(connection)
    _add(connection, "now")

    assert alone == (([], _LATER), ([], None), ([], None))
    assert _look(connection, "q") == (["q"], None)


def test_a_look_reads_no_long_queue(connection: Connection) -> None:
    """It takes as many steps of the database, in thousands, as with one run."""
    _add(connection, *(f"r{number}" for number in range(_LONG)))
    count = list[int]()
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.set_progress_handler(lambda: count.append(1), 1_000)

    assert _look(connection, "q") == (["q"], None)
    assert _look(connection) == ([], None)
    assert len(count) < 5


def test_runs_of_a_dead_process_are_queued_in_the_order_in_which_others_lock_them(
    connection: Connection,
) -> None:
    """So that it waits for none that waits for it."""
    _add(connection, "c", "a", "b", state="running", executor="dead")
    queued = list[str]()

    def note(*execution: object) -> None:
        if str(execution[2]).startswith("UPDATE"):
            queued.append(str(execution[3][-1]))  # type: ignore[index]

    event.listen(connection, "before_cursor_execute", note)
    requeue_of_executor(connection, "dead")

    assert queued == ["a", "b", "c"]
