"""Statements find what they look for by indexes."""

import sqlite3
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from sqlalchemy.dialects import sqlite

from arc_core import ConversationOwner
from arc_plugins.conversations.sql import statements
from tests.arc_plugins.conversations.sql.databases import migrated


async def test_sessions_of_an_owner_are_found_by_an_index(tmp_path: Path) -> None:
    """In their order: neither all sessions nor all of the owner's are read."""
    file = tmp_path / "talk.db"
    await migrated(f"sqlite:///{file}")
    query = statements.select_sessions(ConversationOwner("ann"), 5)
    compiled = query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    connection = sqlite3.connect(file)
    plan = str(connection.execute(f"EXPLAIN QUERY PLAN {compiled}").fetchall())
    connection.close()

    assert "arc_sessions_by_owner (owner_start=?)" in plan
    assert "SCAN" not in plan
