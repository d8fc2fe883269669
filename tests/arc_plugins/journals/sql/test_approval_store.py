"""What people were asked, in the database."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from sqlalchemy import Connection, update

from arc_core import ApprovalRequest, Approve, Decision, Deny
from arc_plugins.journals.sql.approval_store import ask, expire, keep_decision
from arc_plugins.journals.sql.tables import LAYOUT, runs
from arc_plugins.journals.sql.upkeep import look
from tests.arc_plugins.journals.sql.databases import connect_with_run

KEY = "approve/0"
APPROVED = Decision(answer=Approve(), by="ann", at=datetime.now(UTC))


@pytest.fixture
def connection() -> Iterator[Connection]:
    """A database with a run that goes on."""
    with connect_with_run(state="running", life="one") as connection:
        yield connection


def request(*, until_s: float | None = None) -> ApprovalRequest:
    """A request that expires so much later."""
    since = datetime.now(UTC)
    until = None if until_s is None else since + timedelta(seconds=until_s)
    return ApprovalRequest(run_id="r", key=KEY, tool="pay", since=since, until=until)


def test_another_attempt_does_not_ask(connection: Connection) -> None:
    """The run belongs to a later one."""
    assert ask(connection, request(), run_id="r", key=KEY, attempt_id="two") is None


def test_a_request_that_is_too_late_is_denied(connection: Connection) -> None:
    """By itself, when the run asks."""
    found = ask(connection, request(until_s=-1), run_id="r", key=KEY, attempt_id="one")

    assert isinstance(found, Decision)
    assert isinstance(found.answer, Deny)


def test_a_decision_that_is_too_late_does_not_count(connection: Connection) -> None:
    """The call is denied, and who decides is told why."""
    asked = request(until_s=60)
    ask(connection, asked, run_id="r", key=KEY, attempt_id="one")
    _let_expire(connection)

    problem = keep_decision(connection, "r", key=KEY, decision=APPROVED)
    found = ask(connection, asked, run_id="r", key=KEY, attempt_id="one")

    assert problem is not None
    assert problem.startswith("it was not decided in time, and expiry has denied it at")
    assert isinstance(found, Decision)
    assert isinstance(found.answer, Deny)


def test_what_has_expired_is_denied_for_all(connection: Connection) -> None:
    """Also if no run asks, and no person decides."""
    asked = request(until_s=60)
    ask(connection, asked, run_id="r", key=KEY, attempt_id="one")
    before = _has_expired(connection)
    _let_expire(connection)
    late = _has_expired(connection)
    expire(connection)

    assert (before, late, _has_expired(connection)) == (False, True, False)
    assert isinstance(ask(connection, asked, run_id="r", key=KEY, attempt_id="one"), Decision)


def test_a_run_of_another_layout_takes_no_decision(connection: Connection) -> None:
    """Its record may mean something else."""
    connection.execute(update(runs).values(layout="arc-0"))

    problem = keep_decision(connection, "r", key=KEY, decision=APPROVED)

    assert problem == f"the run has the layout arc-0, and this version of Arc knows arc-1, {LAYOUT}"


def _has_expired(connection: Connection) -> bool:
    """Whether a process that looks finds something that was not decided in time."""
    return look(connection, executor="here", is_file=False, queues=()).has_expired


def _let_expire(connection: Connection) -> None:
    connection.exec_driver_sql("UPDATE arc_approvals SET until = '2020-01-01T00:00:00.000000Z'")
