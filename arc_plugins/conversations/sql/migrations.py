"""The steps from one schema to the next; none of them ever changes once it has been released."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping

import sqlalchemy as sa
from alembic.operations import Operations

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


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
_sessions = sa.table(
    "arc_sessions",
    sa.column("id", sa.BigInteger),
    sa.column("session_id", sa.Text),
    sa.column("owner", sa.Text),
)


def _rows_of_tenants(connection: sa.Connection) -> Iterator[list[dict[str, object]]]:
    """New keys by the numbers of sessions, some at a time; none for sessions without a tenant."""
    last = 0
    columns = sa.select(_sessions.c.id, _sessions.c.session_id, _sessions.c.owner)
    while True:
        some = columns.where(_sessions.c.id > last).order_by(_sessions.c.id).limit(_ROWS_AT_ONCE)
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


REVISIONS: Mapping[str, Callable[[Operations], None]] = {
    "0001": _add_sessions,
    "0002": _add_summaries,
    "0003": _add_attachments_and_runs,
    "0004": _add_handoffs,
    "0005": _index_owners,
    "0006": _put_tenants_into_keys,
    "0007": _add_offered_tools,
}
