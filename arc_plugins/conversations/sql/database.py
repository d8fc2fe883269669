"""The database: its address, and its tables.

A message's place is (session, turn, position): reading the last turns is one walk along the primary
key, however long the session. Turns count the session's user messages, from 1; what comes before
the first one is of turn 0.
"""

from typing import Any

import sqlalchemy as sa

from arc_core.stores.async_sql import SqlSchema
from arc_core.stores.sql import SqlAddress, read_sql_address
from arc_plugins.conversations.sql.migrations import REVISIONS


def conversation_address(text: str) -> SqlAddress:
    """Read `conversation.url`; nothing is opened.

    Raises:
        ConfigurationError: The address cannot be used, or its driver is not installed.
    """
    in_memory = "; to keep conversations in memory, remove the setting"
    return read_sql_address(text, setting="conversation.url", is_async=True, remedy=in_memory)


OWNER_START_CHARS = 200
"""The characters of an owner in an index; whole ones may be longer than it takes."""

_metadata = sa.MetaData()
# SQLite numbers rows in INTEGER columns only.
_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

sessions = sa.Table(
    "arc_sessions",
    _metadata,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("key", sa.String(64), nullable=False, unique=True),
    sa.Column("session_id", sa.Text, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("turns", sa.BigInteger, nullable=False),
    sa.Column("messages", sa.BigInteger, nullable=False),
    sa.Column(
        "updated_at",
        sa.DateTime(timezone=True),
        nullable=False,
        server_default=sa.func.current_timestamp(),
    ),
    sa.Column("owner_start", sa.String(OWNER_START_CHARS), nullable=False, server_default=""),
    sa.Column("id_hash", sa.String(64), nullable=False, server_default=""),
    sa.Index("arc_sessions_by_owner", "owner_start", "updated_at"),
    sa.Index("arc_sessions_by_id", "id_hash"),
    sqlite_autoincrement=True,
)
"""One row a session; `key` is a hash of its tenant and its id, `id_hash` one of the id alone.

Both may be longer than an index takes. Without a tenant, the key is the hash of the id.
"""


def _of_session(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """A table whose rows belong to sessions, and are deleted with them."""
    session = sa.ForeignKey(sessions.c.id, ondelete="CASCADE")
    return sa.Table(name, _metadata, sa.Column("session", _ID, session, primary_key=True), *columns)


messages = _of_session(
    "arc_messages",
    sa.Column("turn", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("attachments", sa.Text),
)
"""One row a message; `body` is JSON, and `attachments` a JSON array of hashes, if it has any."""

attachments = _of_session(
    "arc_attachments",
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
"""The bytes of a session's attachments, each once."""

saved_runs = _of_session("arc_saved_runs", sa.Column("run", sa.String(64), primary_key=True))
"""Runs whose messages a session has; `run` is a hash of the run's id, which may be any text."""

summaries = _of_session(
    "arc_summaries",
    sa.Column("turns", sa.BigInteger, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
)
"""Beside the sessions, so that an append does not write the summary again; `text` is JSON."""

handoffs = _of_session("arc_handoffs", sa.Column("agents", sa.Text, nullable=False))
"""The agents that answer for others in a session; `agents` is a JSON object of names."""

offered_tools = _of_session(
    "arc_offered_tools",
    sa.Column("agent", sa.String(64), primary_key=True),
    sa.Column("tools", sa.Text, nullable=False),
)
"""The tools offered to agents in sessions; `agent` is a hash of its name, `tools` a JSON array."""


SCHEMA = SqlSchema(
    version_table="arc_schema",  # an application's own has another name
    revisions=REVISIONS,
    lock=4_702_394_921,
    probe=sa.update(sessions).where(sa.false()).values(turns=0),
)
