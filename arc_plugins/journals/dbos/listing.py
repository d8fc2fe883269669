"""Lists runs for those who operate them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select

from arc_core import AgentCommand, AgentResult
from arc_core.errors import FormError
from arc_core.forms import from_json
from arc_core.interfaces.run_journal import RunState
from arc_core.interfaces.run_operations import RunSummary
from arc_plugins.journals.dbos.reading import outcome_of
from arc_plugins.journals.dbos.tables import LAYOUT, datetime_of, runs

__all__ = ["list_runs"]

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
        found = found.where(runs.c.layout == LAYOUT, runs.c.state == state.value)
    return [_summary(connection, row) for row in connection.execute(found).all()]


def _summary(connection: Connection, row: Any) -> RunSummary:
    command = _command(row.command) or AgentCommand(user_prompt="")
    summary = RunSummary(
        run_id=row.run_id,
        state=RunState.FINISHED,
        agent=command.agent or "default",
        user_id=command.user_id or "",
        tenant_id=row.tenant,
        queue=row.queue,
        since=datetime_of(row.created_at),
        finished_at=None if row.finished_at is None else datetime_of(row.finished_at),
        layout=row.layout,
    )
    found = outcome_of(connection, row.run_id)
    if isinstance(found, AgentResult):
        return replace(summary, error_code=found.error_code)
    return replace(summary, state=found.state, requests=found.requests)


def _command(text: str) -> AgentCommand | None:
    """What is asked; None if only another version of Arc can read it."""
    try:
        return from_json(text, AgentCommand)
    except FormError:
        return None
