"""Takes up failed runs again, a transaction each."""

import json
from dataclasses import replace

from sqlalchemy import Connection, delete, select, update

from arc_core import AgentResult, TurnRestarted
from arc_core.errors import RetryError, UnknownRunError
from arc_plugins.journals.sql.event_batches import batch_of
from arc_plugins.journals.sql.reading import outcome_of
from arc_plugins.journals.sql.references import RecordedValues
from arc_plugins.journals.sql.run_store import FINISH_KEY, hold, queue_again
from arc_plugins.journals.sql.tables import events, runs, steps

__all__ = ["retry"]

_BELOW = "tool/%/%"
"""The keys of runs that tool calls have started: how these ended is what the calls gave."""

_STOPPED = "stopped"
"""The type of what a step gave that has ended the run without an answer."""


def retry(connection: Connection, run_id: str) -> None:
    """Queue a failed run again, without its end and the step that has brought it about.

    Readers find, in the place of the old end, that its turn begins again; a reader who has that end
    goes on after it, and misses nothing.

    Raises:
        UnknownRunError: There is no such run.
        RetryError: It has not failed.
    """
    row = hold(connection, run_id)
    if row is None:
        raise UnknownRunError(run_id)
    found = outcome_of(connection, run_id)
    if not isinstance(found, AgentResult):
        raise RetryError(f"it is {found.state.value}", run_id=run_id)
    if found.success:
        raise RetryError("it has an answer", run_id=run_id)
    _remove_end(connection, run_id)
    queue_again(connection, row)
    anew = {"result": None, "finished_at": None, "cancelling": False, "crashes": 0}
    connection.execute(update(runs).where(runs.c.run_id == run_id).values(**anew))


def _remove_end(connection: Connection, run_id: str) -> None:
    own = steps.c.run_id == run_id
    found = select(steps.c.key, steps.c.value).where(own, ~steps.c.key.like(_BELOW))
    recorded = connection.execute(found).all()
    ending = [key for key, text in recorded if key == FINISH_KEY or _has_stopped(text)]
    connection.execute(delete(steps).where(own, steps.c.key.in_(ending)))
    kept = {key for key, _ in recorded} - set(ending)
    turn = 1 + sum(key.startswith("model/") for key in kept)
    _replace_last_event(connection, run_id, TurnRestarted(turn, run_id=run_id))


def _has_stopped(text: str) -> bool:
    """Whether a step has ended the run, by the type of what it gave."""
    record = json.loads(text)
    value = record.get("value") if isinstance(record, dict) else None
    return isinstance(value, dict) and value.get("type") == _STOPPED


def _replace_last_event(connection: Connection, run_id: str, event: TurnRestarted) -> None:
    own = events.c.run_id == run_id
    columns = select(events.c.number, events.c.before, events.c.last).where(own)
    last = connection.execute(columns.order_by(events.c.number.desc()).limit(1)).one()
    told = replace(event, seq=last.last)
    batch = batch_of(
        [told], run_id=run_id, number=last.number, told=last.before, recorded=RecordedValues()
    )
    row = update(events).where(own, events.c.number == last.number)
    connection.execute(row.values(body=batch.body))
