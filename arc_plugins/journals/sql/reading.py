"""Reads where a run is."""

from collections.abc import Callable

from sqlalchemy import Connection, select

from arc_core import AgentResult
from arc_core.forms import from_json
from arc_core.interfaces.run_journal import RunState, Waiting
from arc_plugins.journals.sql.approval_store import open_requests
from arc_plugins.journals.sql.held_runs import problem_of
from arc_plugins.journals.sql.references import change_messages, named_by_messages
from arc_plugins.journals.sql.run_store import FINISH_KEY, FINISHED, row_of
from arc_plugins.journals.sql.step_store import records_of
from arc_plugins.journals.sql.tables import LAYOUT, steps

__all__ = ["outcome_of", "whole_outcome_of"]


def whole_outcome_of(connection: Connection, run_id: str) -> AgentResult | Waiting:
    """The end of a run with its messages, or where it is.

    Raises:
        UnknownRunError: There is no such run.
        FormError: A step is not there to which the messages refer.
    """

    def read_messages(text: str) -> str:
        records = records_of(connection, run_id, named_by_messages(text))
        return change_messages(text, records.restore)

    return _outcome_of(connection, run_id, read_messages)


def outcome_of(connection: Connection, run_id: str) -> AgentResult | Waiting:
    """The end of a run without its messages, or where it is.

    Raises:
        UnknownRunError: There is no such run.
    """
    return _outcome_of(connection, run_id, lambda text: change_messages(text, lambda _: []))


def _outcome_of(
    connection: Connection, run_id: str, prepare: Callable[[str], str]
) -> AgentResult | Waiting:
    """The end of a run, or where it is.

    Raises:
        UnknownRunError: There is no such run.
    """
    row = row_of(connection, run_id)
    if row.layout != LAYOUT:
        return Waiting(run_id=run_id, state=RunState.INCOMPATIBLE)
    if row.state == FINISHED:
        step = select(steps.c.value).where(steps.c.run_id == run_id, steps.c.key == FINISH_KEY)
        text = connection.scalars(step).one() if row.result is None else row.result
        return from_json(prepare(text), AgentResult)
    state = RunState(row.state)
    if state is RunState.QUEUED and (problem := problem_of(connection, run_id)) is not None:
        return Waiting(run_id=run_id, state=RunState.HELD, problem=problem)
    if state is not RunState.WAITING:
        return Waiting(run_id=run_id, state=state)
    requests = tuple(open_requests(connection, run_id=run_id))
    so_far = None if row.result is None else from_json(prepare(row.result), AgentResult)
    return Waiting(run_id=run_id, state=state, requests=requests, so_far=so_far)
