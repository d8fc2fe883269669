"""The database: its address, its tables, and the steps from one schema to the next.

A message's place is (session, turn, position): reading the last turns is one walk along the primary
key, however long the session. Turns count the session's user messages, from 1; what comes before
the first one is of turn 0. A step never changes once it has been released.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic.operations import Operations

from arc_core.stores.async_sql import SqlSchema
from arc_core.stores.sql import SqlAddress, read_sql_address


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


def _create_of_session(op: Operations, name: str, *columns: sa.Column[object]) -> None:
    """Create a table whose rows belong to sessions, and are deleted with them."""
    session = sa.ForeignKey("arc_sessions.id", ondelete="CASCADE")
    op.create_table(name, sa.Column("session", _ID, session, primary_key=True), *columns)


def _add_sessions(op: Operations) -> None:
    op.create_table(
        "arc_sessions",
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
        sqlite_autoincrement=True,
    )
    _create_of_session(
        op,
        "arc_messages",
        sa.Column("turn", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
    )


def _add_summaries(op: Operations) -> None:
    _create_of_session(
        op,
        "arc_summaries",
        sa.Column("turns", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )


def _add_attachments_and_runs(op: Operations) -> None:
    """Bodies that are there stay as they are: they are read in the form they were written in."""
    op.add_column("arc_messages", sa.Column("attachments", sa.Text))
    _create_of_session(
        op,
        "arc_attachments",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    _create_of_session(op, "arc_saved_runs", sa.Column("run", sa.String(64), primary_key=True))


def _add_handoffs(op: Operations) -> None:
    _create_of_session(op, "arc_handoffs", sa.Column("agents", sa.Text, nullable=False))


def _index_owners(op: Operations) -> None:
    """By their beginnings: owners may be longer than an index takes."""
    start = sa.Column("owner_start", sa.String(200), nullable=False, server_default="")
    op.add_column("arc_sessions", start)
    op.execute("UPDATE arc_sessions SET owner_start = substr(owner, 1, 200)")
    op.create_index("arc_sessions_by_owner", "arc_sessions", ["owner_start", "updated_at"])


def _put_tenants_into_keys(op: Operations) -> None:
    """The ids of sessions become a tenant's own; sessions without a tenant keep their keys."""
    id_hash = sa.Column("id_hash", sa.String(64), nullable=False, server_default="")
    op.add_column("arc_sessions", id_hash)
    op.execute("UPDATE arc_sessions SET id_hash = key")
    op.create_index("arc_sessions_by_id", "arc_sessions", ["id_hash"])
    change = sa.text("UPDATE arc_sessions SET key = :new_key WHERE id = :number")
    for rows in _rows_of_tenants(op.get_bind()):
        op.get_bind().execute(change, rows)


def _add_offered_tools(op: Operations) -> None:
    _create_of_session(
        op,
        "arc_offered_tools",
        sa.Column("agent", sa.String(64), primary_key=True),
        sa.Column("tools", sa.Text, nullable=False),
    )


_ROWS_AT_ONCE = 1_000
_old_sessions = sa.table(
    "arc_sessions",
    sa.column("id", sa.BigInteger),
    sa.column("session_id", sa.Text),
    sa.column("owner", sa.Text),
)


def _rows_of_tenants(connection: sa.Connection) -> Iterator[list[dict[str, object]]]:
    """New keys by the numbers of sessions, some at a time; none for sessions without a tenant."""
    last = 0
    columns = sa.select(_old_sessions.c.id, _old_sessions.c.session_id, _old_sessions.c.owner)
    while True:
        some = (
            columns.where(_old_sessions.c.id > last)
            .order_by(_old_sessions.c.id)
            .limit(_ROWS_AT_ONCE)
        )
        found = connection.execute(some).all()
        if not found:
            return
        last = found[-1].id
        keys = [(row.id, _key(row.session_id, row.owner)) for row in found]
        if rows := [{"number": number, "new_key": key} for number, key in keys if key]:
            yield rows


def _key(session_id: str, owner: str) -> str | None:
    """The key as the first version with tenants makes it, whatever later versions do."""
    _, tenant = json.loads(owner)
    if tenant is None:
        return None
    name = bytes.fromhex(tenant["utf-8"]) if isinstance(tenant, Mapping) else tenant.encode()
    session = json.loads(session_id).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(b"%d:%b%b" % (len(name), name, session)).hexdigest()
    return f"t:{digest[:62]}"


_REVISIONS: Mapping[str, Callable[[Operations], None]] = {
    "0001": _add_sessions,
    "0002": _add_summaries,
    "0003": _add_attachments_and_runs,
    "0004": _add_handoffs,
    "0005": _index_owners,
    "0006": _put_tenants_into_keys,
    "0007": _add_offered_tools,
}

SCHEMA = SqlSchema(
    version_table="arc_schema",  # an application's own has another name
    revisions=_REVISIONS,
    lock=4_702_394_921,
    probe=sa.update(sessions).where(sa.false()).values(turns=0),
)
