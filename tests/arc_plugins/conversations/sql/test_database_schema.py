"""The tables that statements are written for are those that the migrations make."""

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from arc_core.stores.async_sql import make_engine
from arc_plugins.conversations.sql.database import SCHEMA, conversation_address, sessions
from tests.arc_plugins.conversations.sql.databases import migrated


def differences(connection: Connection) -> list[object]:
    """What the database has otherwise than the tables say."""
    context = MigrationContext.configure(connection, opts={"version_table": SCHEMA.version_table})
    return list(compare_metadata(context, sessions.metadata))


async def test_migrations_make_the_tables(database: str) -> None:
    """Nothing is missing in the database and nothing is left over."""
    engine = make_engine(conversation_address(await migrated(database)))
    async with engine.connect() as connection:
        found = await connection.run_sync(differences)
    await engine.dispose()

    assert found == []
