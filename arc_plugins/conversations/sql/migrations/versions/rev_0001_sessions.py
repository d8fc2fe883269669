"""Sessions and their messages."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create both tables."""
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
    op.create_table(
        "arc_messages",
        sa.Column(
            "session", _ID, sa.ForeignKey("arc_sessions.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("turn", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("arc_messages")
    op.drop_table("arc_sessions")
