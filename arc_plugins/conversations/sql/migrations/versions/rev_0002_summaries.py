"""Summaries of sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "arc_summaries",
        sa.Column(
            "session", _ID, sa.ForeignKey("arc_sessions.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("turns", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("arc_summaries")
