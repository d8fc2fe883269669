"""The tables, as the newest revision leaves them.

A message's place is (session, turn, position): reading the last turns is one walk along the primary
key, however long the session. Turns count the session's user messages, from 1; what comes before
the first one is of turn 0.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    func,
)

OWNER_START_CHARS = 200
"""The characters of an owner in an index; whole ones may be longer than it takes."""

_metadata = MetaData()
_Id = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows in INTEGER columns only

sessions = Table(
    "arc_sessions",
    _metadata,
    Column("id", _Id, primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    Column("session_id", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("turns", BigInteger, nullable=False),
    Column("messages", BigInteger, nullable=False),
    Column(
        "updated_at",
        DateTime(timezone=True),
        nullable=False,
        server_default=func.current_timestamp(),
    ),
    Column("owner_start", String(OWNER_START_CHARS), nullable=False, server_default=""),
    Column("id_hash", String(64), nullable=False, server_default=""),
    Index("arc_sessions_by_owner", "owner_start", "updated_at"),
    Index("arc_sessions_by_id", "id_hash"),
    sqlite_autoincrement=True,
)
"""One row a session; `key` is a hash of its tenant and its id, `id_hash` one of the id alone.

Both may be longer than an index takes. Without a tenant, the key is the hash of the id.
"""


def _of_session(name: str, *columns: Column[Any]) -> Table:
    """A table whose rows belong to sessions, and are deleted with them."""
    session = ForeignKey(sessions.c.id, ondelete="CASCADE")
    return Table(name, _metadata, Column("session", _Id, session, primary_key=True), *columns)


messages = _of_session(
    "arc_messages",
    Column("turn", BigInteger, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("attachments", Text),
)
"""One row a message; `body` is JSON, and `attachments` a JSON array of hashes, if it has any."""

attachments = _of_session(
    "arc_attachments",
    Column("hash", String(64), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
"""The bytes of a session's attachments, each once."""

saved_runs = _of_session("arc_saved_runs", Column("run", String(64), primary_key=True))
"""Runs whose messages a session has; `run` is a hash of the run's id, which may be any text."""

summaries = _of_session(
    "arc_summaries",
    Column("turns", BigInteger, nullable=False),
    Column("text", Text, nullable=False),
)
"""Beside the sessions, so that an append does not write the summary again; `text` is JSON."""

handoffs = _of_session("arc_handoffs", Column("agents", Text, nullable=False))
"""The agents that answer for others in a session; `agents` is a JSON object of names."""

offered_tools = _of_session(
    "arc_offered_tools",
    Column("agent", String(64), primary_key=True),
    Column("tools", Text, nullable=False),
)
"""The tools offered to agents in sessions; `agent` is a hash of its name, `tools` a JSON array."""
