"""PostgreSQL with pgvector, and indexes in schemas of their own."""

from collections.abc import Iterator

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra pgvector")

from tests.arc_plugins.postgres_server import execute, pgvector_url, schema_at


@pytest.fixture(scope="session")
def pgvector() -> Iterator[str]:
    """The address of a server that has pgvector, and a database in which it can be used."""
    with pgvector_url() as url:
        execute(url, "CREATE EXTENSION IF NOT EXISTS vector")
        yield url


@pytest.fixture
def pgvector_database(pgvector: str) -> Iterator[str]:
    """The address of an empty schema."""
    with schema_at(pgvector, behind=",public") as url:
        yield url
