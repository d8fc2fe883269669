"""Takes up failed runs again, a transaction each."""

from sqlalchemy import Connection, delete, func, select, update

from arc_core import AgentResult
from arc_core.errors import RetryError, UnknownRunError
from arc_plugins.journals.dbos.reading import outcome_of
from arc_plugins.journals.dbos.run_store import FINISH_KEY, hold, queue_again
from arc_plugins.journals.dbos.tables import events, runs, steps

__all__ = ["retry"]

_STOPPED = '{"type":"step","value":{"type":"stopped",'
"""How the record of a step begins that has ended the run without an answer."""

_BELOW = "tool/%/%"
"""The keys of runs that tool calls have started: how these ended is what the calls gave."""


def retry(connection: Connection, run_id: str) -> None:
    """Queue a failed run again, without its end and the step that has brought it about.

    Events go on after the number of the old end, so that a reader who has that one misses none.

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
    connection.execute(delete(steps).where(own, steps.c.key == FINISH_KEY))
    has_stopped = (steps.c.value.startswith(_STOPPED, autoescape=True), ~steps.c.key.like(_BELOW))
    connection.execute(delete(steps).where(own, *has_stopped))
    last = select(func.max(events.c.number)).where(events.c.run_id == run_id).scalar_subquery()
    connection.execute(delete(events).where(events.c.run_id == run_id, events.c.number == last))
