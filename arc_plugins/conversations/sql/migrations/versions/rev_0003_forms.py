"""Attachments beside the messages, and which runs a session has taken.

Bodies that are there stay as they are: they are read in the form in which they were written.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create both tables, and the column that names a message's attachments."""
    op.add_column("arc_messages", sa.Column("attachments", sa.Text))
    op.create_table(
        "arc_attachments",
        sa.Column(
            "session", _ID, sa.ForeignKey("arc_sessions.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "arc_saved_runs",
        sa.Column(
            "session", _ID, sa.ForeignKey("arc_sessions.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("run", sa.String(64), primary_key=True),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("arc_saved_runs")
    op.drop_table("arc_attachments")
    op.drop_column("arc_messages", "attachments")
