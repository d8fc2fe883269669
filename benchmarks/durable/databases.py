"""Empty databases, made for a measurement and removed after it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import sqlalchemy as sa

__all__ = ["connect", "cut_connections", "empty_database", "names"]

_SERVER = os.environ.get("ARC_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


def names(asked: str) -> tuple[str, ...]:
    """The kinds of databases that are asked for."""
    return ("sqlite", "postgres") if asked == "both" else (asked,)


@contextmanager
def empty_database(kind: str) -> Iterator[tuple[str, Path]]:
    """The address of an empty database, and a folder for other files."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            yield f"sqlite:///{folder}/runs.db", Path(folder)
            return
        name = f"arc_bench_{uuid4().hex[:12]}"
        server = sa.make_url(_SERVER).set(drivername="postgresql+psycopg")
        engine = sa.create_engine(server, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name}"))
        try:
            yield (
                server.set(drivername="postgresql", database=name).render_as_string(
                    hide_password=False
                ),
                Path(folder),
            )
        finally:
            with engine.connect() as connection:
                connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
            engine.dispose()


@contextmanager
def connect(url: str) -> Iterator[sa.Connection]:
    """A connection of its own, whose statements stand for themselves."""
    parsed = sa.make_url(url)
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    engine = sa.create_engine(parsed, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def cut_connections(connection: sa.Connection, name: str | None = None) -> int:
    """End all other connections to a database, or those of one name; how many there were."""
    query = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> "
        "pg_backend_pid() AND datname = current_database() "
        "AND (application_name = :name OR CAST(:name AS TEXT) IS NULL)"
    )
    cut: int = connection.scalar(sa.text(query), {"name": name})
    return cut
