"""The database: its address, whether it is as Arc needs it, and upgrades of its schema."""

from sqlalchemy import false, update
from sqlalchemy.ext.asyncio import AsyncEngine

from arc_core import SchemaUpgrade
from arc_core.stores.async_sql import SqlSchema
from arc_core.stores.sql import SqlAddress, read_sql_address
from arc_plugins.conversations.sql.migrations import HEAD, REVISIONS, VERSION_TABLE
from arc_plugins.conversations.sql.schema import sessions

_SCHEMA = SqlSchema(
    version_table=VERSION_TABLE,
    revisions=REVISIONS,
    lock=4_702_394_921,
    probe=update(sessions).where(false()).values(turns=0),
)


def conversation_address(text: str) -> SqlAddress:
    """Read `conversation.url`; nothing is opened.

    Raises:
        ConfigurationError: The address cannot be used, or its driver is not installed.
    """
    in_memory = "; to keep conversations in memory, remove the setting"
    return read_sql_address(text, setting="conversation.url", is_async=True, remedy=in_memory)


async def open_engine(address: SqlAddress) -> AsyncEngine:
    """Open the connections of a database that is there, of the right schema, and writable.

    Raises:
        ConfigurationError: It is not.
    """
    return await _SCHEMA.open_engine(address)


async def upgrade(address: SqlAddress, *, to: str = HEAD) -> SchemaUpgrade:
    """Run what is missing, all of it or nothing; of two upgrades at once the second finds no work.

    Args:
        address: The database; an SQLite file is created if there is none.
        to: The revision to reach.

    Raises:
        ConfigurationError: The database cannot be used, or its schema is newer.
    """
    return await _SCHEMA.upgrade(address, to=to)
