"""The lock that says whether a process lives."""

from collections.abc import Iterator
from time import monotonic

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")

from sqlalchemy.exc import SQLAlchemyError

from arc_plugins.journals.sql.database import Database, run_address
from arc_plugins.journals.sql.takeover import ExecutorLocks
from tests.arc_plugins.journals.sql.databases import execute

pytestmark = pytest.mark.slow

_AT_MOST_S = 10.0


@pytest.fixture
def locks(postgres_database: str) -> Iterator[tuple[ExecutorLocks, ExecutorLocks]]:
    """Those of two processes that share a database."""
    database = Database(run_address(f"{postgres_database}&application_name=locks"))
    both = ExecutorLocks(database, executor="one"), ExecutorLocks(database, executor="two")
    for each in both:
        each.keep()
    yield both
    for each in both:
        each.close()
    database.close()


def test_the_lock_of_a_process_that_lives_is_taken(
    locks: tuple[ExecutorLocks, ExecutorLocks],
) -> None:
    """It is free once its connection is closed."""
    one, two = locks

    before = two.take("one")
    one.close()
    ends = monotonic() + _AT_MOST_S
    while not (after := two.take("one")) and monotonic() < ends:
        pass  # the server frees it in a moment

    assert (before, after) == (False, True)


def test_a_connection_that_breaks_in_a_look_is_noticed(
    locks: tuple[ExecutorLocks, ExecutorLocks], postgres_database: str
) -> None:
    """The process has lost its lock with it, and takes it again by another connection."""
    one, two = locks
    execute(
        postgres_database,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'locks'",
    )
    for each in (one, two):
        with pytest.raises(SQLAlchemyError):
            each.take("three")
    with pytest.raises(OSError, match="closed"):
        one.take("three")

    assert [one.keep(), two.keep(), one.keep()] == [False, False, True]
    assert not two.take("one")
