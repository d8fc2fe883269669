"""Durable runs on databases, for tests."""

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any
from uuid import uuid4

import psycopg
from pydantic import SecretStr
from sqlalchemy import Connection, create_engine, insert, make_url

from arc_core import AgentResult
from arc_core import settings as core
from arc_core.log import get_logger
from arc_core.runs.store import RunStore
from arc_core.testing.conformance.run_journal.rules import until
from arc_plugins.journals.settings import DurableSettings, SchedulesSettings
from arc_plugins.journals.sql.journals import DurableRunJournals
from arc_plugins.journals.sql.tables import LAYOUT, METADATA, now, runs
from tests.arc_plugins.postgres_server import schema_at

__all__ = [
    "ADD_UNREADABLE_REQUEST",
    "connect_with_run",
    "database_at",
    "end_of_despite",
    "execute",
    "journals_at",
    "kept_bytes",
    "runs_at",
    "scalar",
]

_SIZE = (
    "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' "
    "AND relname ~ '^arc_' AND relnamespace = current_schema()::regnamespace"
)

ADD_UNREADABLE_REQUEST = (
    "INSERT INTO arc_approvals (run_id, key, request, since, until) "
    "VALUES ('waits', 'k', '{}', '2026-01-01', '2026-01-01')"
)
"""Has a run `waits` ask for something that was not decided in time."""


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
            return isinstance((await journals.find(run_id)).outcome, AgentResult)
        except OSError:
            return False

    await until(has_ended)
    found = (await journals.find(run_id)).outcome
    assert isinstance(found, AgentResult)
    return found


@contextmanager
def connect_with_run(**columns: object) -> Iterator[Connection]:
    """A database in memory that has one run, which is queued unless columns differ."""
    engine = create_engine("sqlite://")
    METADATA.create_all(engine)
    with engine.begin() as connection:
        row = {"run_id": "r", "layout": LAYOUT, "state": "queued", "queue": "default"}
        numbers = {"ticket": 1, "crashes": 0, "told": 0}
        flags = {"carried": False, "cancelling": False}
        texts = {"command": "{}", "created_at": now()}
        connection.execute(insert(runs), {**row, **numbers, **flags, **texts, **columns})
        yield connection
    engine.dispose()


@contextmanager
def runs_at(postgres: str) -> Iterator[str]:
    """An empty schema, which is dropped in the end."""
    with schema_at(postgres) as url:
        yield url


@contextmanager
def database_at(postgres: str) -> Iterator[str]:
    """An empty database of its own, which is dropped in the end."""
    name = f"arc_test_{uuid4().hex}"
    server = make_url(postgres).set(query={})
    execute(postgres, f"CREATE DATABASE {name}")
    try:
        yield server.set(database=name).render_as_string(hide_password=False)
    finally:
        execute(postgres, f"DROP DATABASE {name} WITH (FORCE)")


def execute(url: str, statement: str) -> None:
    """Do something in a database."""
    with _connect(url) as connection:
        connection.execute(statement)


def scalar(url: str, statement: str) -> Any:
    """The first value of the first row that a database gives."""
    with _connect(url) as connection:
        row = connection.execute(statement).fetchone()
    return None if row is None else row[0]


def kept_bytes(url: str) -> int:
    """What the runs take: in a file all of its pages, in a PostgreSQL Arc's own tables."""
    if not url.startswith("sqlite"):
        return int(scalar(url, _SIZE))
    return math.prod(scalar(url, f"PRAGMA {name}") for name in ("page_count", "page_size"))


def _connect(url: str) -> AbstractContextManager[Any]:
    address = make_url(url)
    if url.startswith("sqlite"):
        return closing(sqlite3.connect(str(address.database), isolation_level=None))
    path = address.query.get("search_path", "public")
    plain = address.set(query={}).render_as_string(hide_password=False)
    return psycopg.connect(plain, autocommit=True, options=f"-c search_path={path}")
