"""Durable runs on databases, for tests."""

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from pydantic import SecretStr
from sqlalchemy import make_url

from arc_core import AgentResult
from arc_core import settings as core
from arc_core.log import get_logger
from arc_core.runs.store import RunStore
from arc_core.testing.conformance.run_journal.rules import until
from arc_plugins.journals.settings import (
    DurableSettings,
    SchedulesSettings,
)
from arc_plugins.journals.sql.journals import DurableRunJournals
from tests.arc_plugins.postgres_server import schema_at

__all__ = ["end_of_despite", "execute", "journals_at", "kept_bytes", "runs_at", "scalar"]

_SIZE = (
    "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' "
    "AND relname ~ '^arc_' AND relnamespace = current_schema()::regnamespace"
)


def journals_at(url: str, *, schedules: Sequence[Any] = (), **settings: Any) -> DurableRunJournals:
    """Journals, not started, that work on their runs unless the settings say otherwise."""
    return DurableRunJournals(
        settings=DurableSettings(url=SecretStr(url), **{"work": True, **settings}),
        schedules=SchedulesSettings.model_validate(list(schedules)),
        conversation=core.ConversationSettings(),
        logger=get_logger("test"),
    )


async def end_of_despite(journals: RunStore, run_id: str) -> AgentResult:
    """The end of a run, whose database may still be away."""

    async def has_ended() -> bool:
        try:
            return isinstance(await journals.result(run_id), AgentResult)
        except OSError:
            return False

    await until(has_ended)
    found = await journals.result(run_id)
    assert isinstance(found, AgentResult)
    return found


@contextmanager
def runs_at(postgres: str) -> Iterator[str]:
    """An empty schema, which is dropped in the end, with that of DBOS."""
    with schema_at(postgres) as url:
        try:
            yield url
        finally:
            name = make_url(url).query["search_path"]
            execute(postgres, f"DROP SCHEMA IF EXISTS {name}_dbos CASCADE")


def execute(url: str, statement: str) -> None:
    """Do something in a PostgreSQL."""
    with _connect(url) as connection:
        connection.execute(statement.encode())


def scalar(url: str, statement: str) -> Any:
    """The first value of the first row that a PostgreSQL gives."""
    with _connect(url) as connection:
        row = connection.execute(statement.encode()).fetchone()
    return None if row is None else row[0]


def kept_bytes(url: str) -> int:
    """What the runs take: in a file all of its pages, in a PostgreSQL Arc's own tables."""
    if not url.startswith("sqlite"):
        return int(scalar(url, _SIZE))
    with closing(sqlite3.connect(make_url(url).database or "")) as connection:
        counts = (connection.execute(f"PRAGMA {name}") for name in ("page_count", "page_size"))
        return math.prod(count for rows in counts for (count,) in rows)


def _connect(url: str) -> psycopg.Connection[Any]:
    address = make_url(url)
    path = address.query.get("search_path", "public")
    plain = address.set(query={}).render_as_string(hide_password=False)
    return psycopg.connect(plain, autocommit=True, options=f"-c search_path={path}")
