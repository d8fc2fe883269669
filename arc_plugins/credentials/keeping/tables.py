"""The tables of credentials, and the steps from one schema to the next."""

from collections.abc import Callable, Mapping

import sqlalchemy as sa
from alembic.operations import Operations

from arc_core.stores.async_sql import SqlSchema

_metadata = sa.MetaData()

credentials = sa.Table(
    "arc_credentials",
    _metadata,
    sa.Column("place", sa.String(64), primary_key=True),
    sa.Column("owner_hash", sa.String(64), nullable=False, index=True),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("service", sa.Text, nullable=False),
    sa.Column("key_id", sa.String(16), nullable=False),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("claimed_until", sa.Float, nullable=False),
)
"""One row a credential; owner and service are JSON, and `place` is a hash of both together."""

logins = sa.Table(
    "arc_logins",
    _metadata,
    sa.Column("place", sa.String(64), primary_key=True),
    sa.Column("id_hash", sa.String(64), nullable=False, unique=True),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("service", sa.Text, nullable=False),
    sa.Column("scopes", sa.Text, nullable=False),
    sa.Column("key_id", sa.String(16), nullable=False),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
)
"""One row a login that runs wait for; its id is sealed, and found by its hash."""

begun_logins = sa.Table(
    "arc_begun_logins",
    _metadata,
    sa.Column("state_hash", sa.String(64), primary_key=True),
    sa.Column("browser_hash", sa.String(64), nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("service", sa.Text, nullable=False),
    sa.Column("scopes", sa.Text, nullable=False),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
    sa.Column("expires_at", sa.Float, nullable=False),
)
"""One row a login between the service's page and the callback; its verifier is sealed."""


def _add_credentials(op: Operations) -> None:
    op.create_table(
        "arc_credentials",
        sa.Column("place", sa.String(64), primary_key=True),
        sa.Column("owner_hash", sa.String(64), nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("service", sa.Text, nullable=False),
        sa.Column("key_id", sa.String(16), nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("claimed_until", sa.Float, nullable=False),
    )
    op.create_index("ix_arc_credentials_owner_hash", "arc_credentials", ["owner_hash"])
    op.create_table(
        "arc_logins",
        sa.Column("place", sa.String(64), primary_key=True),
        sa.Column("id_hash", sa.String(64), nullable=False, unique=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("service", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("key_id", sa.String(16), nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "arc_begun_logins",
        sa.Column("state_hash", sa.String(64), primary_key=True),
        sa.Column("browser_hash", sa.String(64), nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("service", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
    )


REVISIONS: Mapping[str, Callable[[Operations], None]] = {"0001": _add_credentials}
"""The revisions that this version of Arc knows, oldest first."""

SCHEMA = SqlSchema(
    version_table="arc_credentials_schema",
    revisions=REVISIONS,
    lock=4_702_394_923,
    probe=sa.update(credentials).where(sa.false()).values(version=0),
)
