"""Finds the sessions of a user, the newest first.

Owners may be longer than an index takes, so that it has their beginnings.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_INDEX = "arc_sessions_by_owner"


def upgrade() -> None:
    """Add the beginnings, of those that are there too, and index them."""
    op.add_column(
        "arc_sessions", sa.Column("owner_start", sa.String(200), nullable=False, server_default="")
    )
    op.execute("UPDATE arc_sessions SET owner_start = substr(owner, 1, 200)")
    op.create_index(_INDEX, "arc_sessions", ["owner_start", "updated_at"])


def downgrade() -> None:
    """Drop both."""
    op.drop_index(_INDEX, "arc_sessions")
    op.drop_column("arc_sessions", "owner_start")
