"""Tools that sessions were offered."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "arc_offered_tools",
        sa.Column(
            "session", _ID, sa.ForeignKey("arc_sessions.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("agent", sa.String(64), primary_key=True),
        sa.Column("tools", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("arc_offered_tools")
