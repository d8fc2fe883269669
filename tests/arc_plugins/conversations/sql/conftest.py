"""Databases that have their schema already, which takes longer than most tests."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from sqlalchemy import make_url

from tests.arc_plugins.conversations.sql.databases import migrated
from tests.arc_plugins.postgres_server import execute, schema_at


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of SQLite that is copied for each test."""
    file = tmp_path_factory.mktemp("migrated") / "conversations.db"
    with asyncio.Runner() as runner:
        runner.run(migrated(f"sqlite:///{file}"))
    return file


@pytest.fixture(scope="session")
def migrated_schema(postgres: str) -> Iterator[str]:
    """The address of a schema that is emptied for each test."""
    with schema_at(postgres) as url:
        with asyncio.Runner() as runner:
            runner.run(migrated(url))
        yield url


@pytest.fixture(params=["sqlite", "postgres", "psycopg"])
def migrated_database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database that has its schema, and nothing else; by each driver."""
    if request.param == "sqlite":
        file: Path = request.getfixturevalue("migrated_file")
        return f"sqlite:///{shutil.copy(file, tmp_path)}"
    url: str = request.getfixturevalue("migrated_schema")
    schema = make_url(url).query["search_path"]
    execute(request.getfixturevalue("postgres"), f"DELETE FROM {schema}.arc_sessions")
    return url if request.param == "postgres" else f"postgresql+psycopg:{url.partition(':')[2]}"
