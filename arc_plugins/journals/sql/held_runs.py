"""Runs that lack something to go on: what is written of it beside their steps."""

import json
from typing import Any

from sqlalchemy import Connection, delete, exists, select

from arc_plugins.journals.sql.tables import now, runs, steps

__all__ = ["HELD_KEY", "IS_HELD", "begin_hold", "end_hold", "problem_of", "read_problem"]

HELD_KEY = "held"
"""Stands among the steps of a run that is held, and says why."""

IS_HELD: Any = exists().where(steps.c.run_id == runs.c.run_id, steps.c.key == HELD_KEY)
"""Of a run that is queued: whether it is held."""


def begin_hold(connection: Connection, run_id: str, *, problem: str) -> None:
    """Note what a run lacks."""
    row = {"run_id": run_id, "key": HELD_KEY, "value": json.dumps(problem), "at": now()}
    connection.execute(steps.insert().values(**row))


def end_hold(connection: Connection, run_id: str) -> None:
    """Note that a run is not held any more."""
    connection.execute(delete(steps).where(steps.c.run_id == run_id, steps.c.key == HELD_KEY))


def problem_of(connection: Connection, run_id: str) -> str | None:
    """Return why a run is held; None if it is not."""
    step = select(steps.c.value).where(steps.c.run_id == run_id, steps.c.key == HELD_KEY)
    text = connection.scalar(step)
    return None if text is None else read_problem(text)


def read_problem(text: str) -> str:
    """Read what `begin_hold` has noted."""
    return str(json.loads(text))
