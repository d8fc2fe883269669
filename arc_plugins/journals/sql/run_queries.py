"""Reads where a run is."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, func, select

from arc_core import AgentCommand, AgentResult
from arc_core.errors import FormError, UnknownRunError
from arc_core.forms import from_json
from arc_core.runs.store import RecordedStep, RunHistory, RunState, RunSummary, Waiting
from arc_plugins.journals.sql.approval_store import open_requests
from arc_plugins.journals.sql.references import change_messages, named_by_messages, read_records
from arc_plugins.journals.sql.run_store import FINISH_KEY, FINISHED, read_row
from arc_plugins.journals.sql.tables import (
    IS_HELD,
    LAYOUT,
    events,
    find_hold_problem,
    from_moment,
    runs,
    steps,
)


def read_outcome(connection: Connection, run_id: str) -> AgentResult | Waiting:
    """The end of a run with its messages, or where it is.

    Raises:
        UnknownRunError: There is no such run.
        FormError: A step is not there to which the messages refer.
    """

    def read_messages(text: str) -> str:
        records = read_records(connection, run_id, named_by_messages(text))
        return change_messages(text, records.restore)

    return _read_outcome(connection, run_id, read_messages)


def read_brief_outcome(connection: Connection, run_id: str) -> AgentResult | Waiting:
    """The end of a run without its messages, or where it is.

    Raises:
        UnknownRunError: There is no such run.
    """
    return _read_outcome(connection, run_id, lambda text: change_messages(text, lambda _: []))


def _read_outcome(
    connection: Connection, run_id: str, prepare: Callable[[str], str]
) -> AgentResult | Waiting:
    """The end of a run, or where it is.

    Raises:
        UnknownRunError: There is no such run.
    """
    row = read_row(connection, run_id)
    if row.layout != LAYOUT:
        return Waiting(run_id=run_id, state=RunState.INCOMPATIBLE)
    if row.state == FINISHED:
        step = select(steps.c.value).where(steps.c.run_id == run_id, steps.c.key == FINISH_KEY)
        text = connection.scalars(step).one() if row.result is None else row.result
        return from_json(prepare(text), AgentResult)
    state = RunState(row.state)
    if state is RunState.QUEUED and (problem := find_hold_problem(connection, run_id)) is not None:
        return Waiting(run_id=run_id, state=RunState.HELD, problem=problem)
    if state is not RunState.WAITING:
        return Waiting(run_id=run_id, state=state)
    requests = tuple(open_requests(connection, run_id=run_id))
    so_far = None if row.result is None else from_json(prepare(row.result), AgentResult)
    return Waiting(run_id=run_id, state=state, requests=requests, so_far=so_far)


_COLUMNS = (
    runs.c.run_id, runs.c.layout, runs.c.state, runs.c.queue, runs.c.tenant, runs.c.command,
    runs.c.created_at, runs.c.finished_at,
)  # fmt: skip


def list_runs(
    connection: Connection, *, state: RunState | None, limit: int
) -> Sequence[RunSummary]:
    """The newest runs, newest first.

    Args:
        connection: Of the database.
        state: Only those that are there.
        limit: At most so many.
    """
    found = select(*_COLUMNS).order_by(runs.c.created_at.desc(), runs.c.run_id).limit(limit)
    if state is RunState.INCOMPATIBLE:
        found = found.where(runs.c.layout != LAYOUT)
    elif state is not None:
        kept_as = RunState.QUEUED if state is RunState.HELD else state
        found = found.where(runs.c.layout == LAYOUT, runs.c.state == kept_as.value)
    if state in {RunState.HELD, RunState.QUEUED}:
        found = found.where(IS_HELD if state is RunState.HELD else ~IS_HELD)
    return [_summary(connection, row) for row in connection.execute(found).all()]


def find_run(connection: Connection, *, run_id: str) -> RunSummary:
    """One run.

    Raises:
        UnknownRunError: There is no such run.
    """
    row = connection.execute(select(*_COLUMNS).where(runs.c.run_id == run_id)).one_or_none()
    if row is None:
        raise UnknownRunError(run_id)
    last = select(func.max(events.c.last)).where(events.c.run_id == run_id)
    found = replace(_summary(connection, row), last_seq=connection.execute(last).scalar() or 0)
    if found.state is RunState.RUNNING:  # one call may wait while others go on
        found = replace(found, requests=tuple(open_requests(connection, run_id=run_id)))
    return found


def read_history(connection: Connection, *, run_id: str) -> RunHistory:
    """Return how a run came to where it is.

    Raises:
        UnknownRunError: There is no such run.
    """
    columns = select(runs.c.state, runs.c.ticket, runs.c.crashes).where(runs.c.run_id == run_id)
    row = connection.execute(columns).one_or_none()
    if row is None:
        raise UnknownRunError(run_id)
    recorded = (
        select(steps.c.key, steps.c.at)
        .where(steps.c.run_id == run_id)
        .order_by(steps.c.at, steps.c.key)
    )
    return RunHistory(
        attempts=row.ticket - (row.state == RunState.QUEUED),  # that ticket is not begun
        deaths=row.crashes,
        steps=tuple(
            RecordedStep(key=key, ended_at=from_moment(at))
            for key, at in connection.execute(recorded)
        ),
    )


def running_in(
    connection: Connection, *, session_id: str, user_id: str | None, tenant_id: str | None
) -> str | None:
    """The newest run of a conversation that has no end yet."""
    named = json.dumps(session_id, ensure_ascii=False)
    found = (
        select(runs.c.run_id, runs.c.command)
        .where(runs.c.state != FINISHED, runs.c.layout == LAYOUT, runs.c.tenant == tenant_id)
        .where(runs.c.command.contains(f'"session_id":{named}', autoescape=True))
        .order_by(runs.c.created_at.desc())
    )
    for run_id, text in connection.execute(found):
        command = _command(text)  # a prompt may say the same words
        if command is not None and (command.session_id, command.user_id) == (session_id, user_id):
            return str(run_id)
    return None


def _summary(connection: Connection, row: Any) -> RunSummary:
    command = _command(row.command) or AgentCommand(user_prompt="")
    summary = RunSummary(
        run_id=row.run_id,
        state=RunState.FINISHED,
        agent=command.agent or "default",
        user_id=command.user_id or "",
        tenant_id=row.tenant,
        queue=row.queue,
        since=from_moment(row.created_at),
        finished_at=None if row.finished_at is None else from_moment(row.finished_at),
        layout=row.layout,
        session_id=command.session_id,
    )
    found = read_brief_outcome(connection, row.run_id)
    if isinstance(found, AgentResult):
        return replace(summary, error_code=found.error_code)
    return replace(summary, state=found.state, requests=found.requests, problem=found.problem)


def _command(text: str) -> AgentCommand | None:
    """Read a command; None if only another version of Arc can read it."""
    try:
        return from_json(text, AgentCommand)
    except FormError:
        return None
