"""Ids of sessions are a tenant's own: the key of a session has the tenant in it.

Sessions without a tenant keep their keys. The keys are made here as the first version with tenants
makes them, whatever later versions do.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_INDEX = "arc_sessions_by_id"
_ROWS_AT_ONCE = 1_000
_sessions = sa.table(
    "arc_sessions",
    sa.column("id", sa.BigInteger),
    sa.column("key", sa.String),
    sa.column("session_id", sa.Text),
    sa.column("owner", sa.Text),
    sa.column("id_hash", sa.String),
)


def upgrade() -> None:
    """Keep the hashes of ids apart, and put the tenants into the keys."""
    op.add_column(
        "arc_sessions", sa.Column("id_hash", sa.String(64), nullable=False, server_default="")
    )
    op.execute("UPDATE arc_sessions SET id_hash = key")
    op.create_index(_INDEX, "arc_sessions", ["id_hash"])
    change = sa.text("UPDATE arc_sessions SET key = :new_key WHERE id = :number")
    for rows in _rows_of_tenants():
        op.get_bind().execute(change, rows)


def downgrade() -> None:
    """Make ids the keys again; refused by the database while two tenants have one of the same."""
    op.execute("UPDATE arc_sessions SET key = id_hash")
    op.drop_index(_INDEX, "arc_sessions")
    op.drop_column("arc_sessions", "id_hash")


def _rows_of_tenants() -> Iterator[list[dict[str, object]]]:
    """New keys by the numbers of sessions, some at a time; none for sessions without a tenant."""
    last = 0
    columns = sa.select(_sessions.c.id, _sessions.c.session_id, _sessions.c.owner)
    while True:
        some = columns.where(_sessions.c.id > last).order_by(_sessions.c.id).limit(_ROWS_AT_ONCE)
        found = op.get_bind().execute(some).all()
        if not found:
            return
        last = found[-1].id
        keys = [(row.id, _key(row.session_id, row.owner)) for row in found]
        if rows := [{"number": number, "new_key": key} for number, key in keys if key]:
            yield rows


def _key(session_id: str, owner: str) -> str | None:
    _, tenant = json.loads(owner)
    if tenant is None:
        return None
    name = bytes.fromhex(tenant["utf-8"]) if isinstance(tenant, Mapping) else tenant.encode()
    session = json.loads(session_id).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(b"%d:%b%b" % (len(name), name, session)).hexdigest()
    return f"t:{digest[:62]}"
