"""Writes and reads approvals, a transaction each."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, select, update

from arc_core import Decision, Request, find_decision_problem
from arc_core.errors import UnknownRunError
from arc_core.forms import from_json, to_json
from arc_core.runs.store import RunState
from arc_plugins.journals.sql.references import insert_once
from arc_plugins.journals.sql.run_store import FINISHED, hold, queue_again
from arc_plugins.journals.sql.tables import LAYOUTS, approvals, now, runs, to_moment

_AT_ONCE = 100


def ask(
    connection: Connection, request: Request, *, run_id: str, key: str, attempt_id: str
) -> Decision | Request | None:
    """Return the decision, else the request as it was asked first; None if the run is another's."""
    row = hold(connection, run_id)
    if row is None or row.life != attempt_id:
        return None
    until = None if request.until is None else to_moment(request.until)
    values = {
        "run_id": run_id, "key": key, "request": to_json(request),
        "since": to_moment(request.since), "until": until,
    }  # fmt: skip
    connection.execute(insert_once(connection, approvals), values)
    found = _approval(connection, run_id, key)
    assert found is not None
    if found.decision is None and found.until is not None and found.until <= now():
        _deny_too_late(connection, run_id, key)
        found = _approval(connection, run_id, key)
        assert found is not None
    if found.decision is None:
        return from_json(found.request, Request)
    return from_json(found.decision, Decision)


def keep_decision(
    connection: Connection, run_id: str, *, key: str, decision: Decision
) -> str | None:
    """Keep a decision, and queue the run if it waits; return what is wrong, None if nothing.

    An approval that is not the last one is kept with the request. The caller raises what is wrong
    once the transaction is over, which keeps that a request has expired.

    Raises:
        UnknownRunError: There is no such run.
        FormError: The arguments are not JSON.
    """
    row = hold(connection, run_id)
    if row is None:
        raise UnknownRunError(run_id)
    if row.layout not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        return f"the run has the layout {row.layout}, and this version of Arc knows {known}"
    found = _approval(connection, run_id, key)
    is_late = found is not None and found.decision is None and found.until and found.until <= now()
    if is_late and row.state != FINISHED:
        _deny_too_late(connection, run_id, key)
        _wake(connection, row)
        found = _approval(connection, run_id, key)
    request = None if found is None else from_json(found.request, Request)
    made = None if found is None or found.decision is None else from_json(found.decision, Decision)
    problem = find_decision_problem(
        decision, request=request, made=made, has_ended=row.state == FINISHED
    )
    if problem is None and request is not None:
        taken = request.take(decision)
        _keep(connection, run_id, key=key, taken=taken)
        if isinstance(taken, Decision):
            _wake(connection, row)
    return problem


def expire(connection: Connection) -> None:
    """Deny what was not decided in time, and queue the runs that wait for it."""
    found = late().order_by(approvals.c.run_id, approvals.c.key)  # as others that hold several
    for run_id, key in connection.execute(found.limit(_AT_ONCE)).all():
        row = hold(connection, run_id)
        _deny_too_late(connection, run_id, key)
        if row is not None:
            _wake(connection, row)


def late() -> Select[str, str]:
    """Select what was not decided in time: the run, and the key."""
    found = select(approvals.c.run_id, approvals.c.key)
    found = found.join(runs, runs.c.run_id == approvals.c.run_id)
    is_late = (approvals.c.decision.is_(None), approvals.c.until <= now())
    return found.where(*is_late, runs.c.layout.in_(LAYOUTS), runs.c.state != FINISHED)


def open_requests(connection: Connection, *, run_id: str | None = None) -> Sequence[Request]:
    """Return the open requests to people, oldest first."""
    found = select(approvals.c.request).join(runs, runs.c.run_id == approvals.c.run_id)
    found = found.where(
        approvals.c.decision.is_(None), runs.c.layout.in_(LAYOUTS), runs.c.state != FINISHED
    ).order_by(approvals.c.since, approvals.c.key)
    if run_id is not None:
        found = found.where(approvals.c.run_id == run_id)
    return [from_json(text, Request) for text in connection.scalars(found)]


def _approval(connection: Connection, run_id: str, key: str) -> Row[Any] | None:
    found = select(approvals).where(approvals.c.run_id == run_id, approvals.c.key == key)
    return connection.execute(found).one_or_none()


def _keep(connection: Connection, run_id: str, *, key: str, taken: Request | Decision) -> None:
    kept = {"request": to_json(taken)}
    if isinstance(taken, Decision):
        at = to_moment(taken.at)
        kept = {"decision": to_json(taken), "decided_by": taken.by, "decided_at": at}
    row = update(approvals).where(approvals.c.run_id == run_id, approvals.c.key == key)
    connection.execute(row.where(approvals.c.decision.is_(None)).values(**kept))


def _deny_too_late(connection: Connection, run_id: str, key: str) -> None:
    found = _approval(connection, run_id, key)
    assert found is not None
    request = from_json(found.request, Request)
    _keep(connection, run_id, key=key, taken=request.expire(datetime.now(UTC)))


def _wake(connection: Connection, row: Row[Any]) -> None:
    if row.state == RunState.WAITING:
        queue_again(connection, row)
