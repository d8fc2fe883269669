"""Brings a database's schema up to date; what it holds stays."""

import asyncio
from time import monotonic

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from arc_core import SchemaUpgrade
from arc_plugins.conversations.sql.address import BUSY_TIMEOUT_S, Address
from arc_plugins.conversations.sql.database import (
    check_file,
    check_not_newer,
    engine_of,
    revision_of,
)
from arc_plugins.conversations.sql.errors import explain_failures
from arc_plugins.conversations.sql.schema import HEAD

__all__ = ["upgrade"]

_ADVISORY_LOCK = 4_702_394_921  # any number that is always the same
_RETRY_S = 0.02


async def upgrade(address: Address, *, to: str = HEAD) -> SchemaUpgrade:
    """Run what is missing, all of it or nothing; of two upgrades at once the second finds no work.

    Args:
        address: The database; an SQLite file is created if there is none.
        to: The revision to reach.

    Raises:
        ConfigurationError: The database cannot be used, or its schema is newer.
    """
    engine = engine_of(address)
    try:
        with explain_failures(address.place):
            await check_file(address)
            async with engine.connect() as connection:
                await _lock(connection, is_file=address.file is not None)
                before = await revision_of(connection)
                check_not_newer(before, address)
                await connection.run_sync(_migrate, to)
                await connection.commit()
    finally:
        await engine.dispose()
    return SchemaUpgrade(place=address.place, before=before, after=to)


async def _lock(connection: AsyncConnection, *, is_file: bool) -> None:
    """Begin a transaction that keeps other upgrades out until it ends."""
    if is_file:
        await _write_ahead(connection)
        await connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        await connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))


async def _write_ahead(connection: AsyncConnection) -> None:
    """Let one writer and many readers work at once; for this, SQLite waits for no other program."""
    ends = monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            await connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        except OperationalError:
            if monotonic() > ends:
                raise
            await asyncio.sleep(_RETRY_S)
        else:
            return


def _migrate(connection: Connection, to: str) -> None:
    config = Config()
    config.set_main_option("script_location", "arc_plugins.conversations.sql:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, to)
