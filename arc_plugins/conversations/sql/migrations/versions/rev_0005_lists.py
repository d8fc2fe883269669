"""An index by which the sessions of a user are found, the newest first.

Names may be longer than an index takes, so that it has their beginnings.
"""

import sqlalchemy as sa
from alembic import op

__all__ = ["downgrade", "upgrade"]

revision = "0005"
down_revision = "0004"

_NAME = "arc_sessions_by_owner"


def upgrade() -> None:
    """Create the index."""
    op.create_index(_NAME, "arc_sessions", [sa.text("substr(owner, 1, 200)"), "updated_at"])


def downgrade() -> None:
    """Drop the index."""
    op.drop_index(_NAME, "arc_sessions")
