"""Databases for conversations, each empty and of its own."""

from collections.abc import Iterator

import pytest

from tests.arc_plugins.postgres_server import schema_at


@pytest.fixture
def postgres_database(postgres: str) -> Iterator[str]:
    """The address of an empty schema."""
    with schema_at(postgres) as url:
        yield url


@pytest.fixture
def psycopg_database(postgres_database: str) -> str:
    """The same, by the other driver."""
    pytest.importorskip("psycopg", reason="needs the extra psycopg")
    return f"postgresql+psycopg:{postgres_database.partition(':')[2]}"


@pytest.fixture(params=["sqlite_database", "postgres_database", "psycopg_database"])
def database(request: pytest.FixtureRequest) -> str:
    """Any of them."""
    url: str = request.getfixturevalue(request.param)
    return url
