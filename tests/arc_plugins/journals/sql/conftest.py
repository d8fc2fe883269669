"""Databases for runs, each empty and of its own."""

from collections.abc import Iterator

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from sqlalchemy import Connection, create_engine

from arc_plugins.journals.sql.tables import METADATA
from tests.arc_plugins.journals.sql.databases import runs_at


@pytest.fixture
def connection() -> Iterator[Connection]:
    """A database without runs."""
    engine = create_engine("sqlite://")
    METADATA.create_all(engine)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


@pytest.fixture
def postgres_database(postgres: str) -> Iterator[str]:
    """The address of an empty schema."""
    with runs_at(postgres) as url:
        yield url


@pytest.fixture(params=["sqlite_database", "postgres_database"])
def database(request: pytest.FixtureRequest) -> str:
    """Either of them."""
    url: str = request.getfixturevalue(request.param)
    return url
