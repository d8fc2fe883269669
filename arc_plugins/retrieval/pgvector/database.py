"""The database of the index: whether it is as Arc needs it, and how it comes to be so."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy as sa
from alembic.operations import Operations
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arc_core import ConfigurationError
from arc_core.stores.async_sql import SqlSchema, make_engine
from arc_core.stores.sql import (
    SqlAddress,
    driver_error,
    explain_sql_failures,
    read_sql_address,
    transaction_lock,
)

LOCK = 5_820_617_334
"""Of what may be done by one process at a time: the making of tables and of indexes."""

_NO_RIGHT = "42501"
"""The code of PostgreSQL's for what a user may not do."""

_OLDEST = (0, 8)
"""Of pgvector: the first that searches on until a filter has let enough through."""

_FACTS = sa.text("""
SELECT current_setting('server_version') AS server,
  (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available,
  (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
  (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace AS those
   ON those.oid = extnamespace WHERE extname = 'vector') AS extension_schema,
  to_regtype('halfvec') IS NOT NULL AS is_visible,
  quote_ident(current_schema()) AS schema, quote_ident(current_user) AS "user",
  has_schema_privilege(current_schema(), 'CREATE') AS may_create,
  has_table_privilege(to_regclass('arc_documents'), 'SELECT') AS may_read,
  has_table_privilege(to_regclass('arc_documents'), 'INSERT') AS may_write
""")
_CREATE_EXTENSION = "CREATE EXTENSION vector"
_ADD = "run `arc docs add PATH…`"
_PROBE = "SELECT FROM arc_documents, arc_passages, arc_passage_terms, arc_vectors LIMIT 0"
_TABLES = """
CREATE TABLE arc_documents (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source_hash bytea NOT NULL UNIQUE, source text NOT NULL,
  title text NOT NULL, digest text NOT NULL, metadata jsonb NOT NULL
);
CREATE TABLE arc_passages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  document bigint NOT NULL REFERENCES arc_documents ON DELETE CASCADE,
  number integer NOT NULL, heading text NOT NULL, text text NOT NULL
);
CREATE INDEX arc_passages_by_document ON arc_passages (document);
CREATE TABLE arc_passage_terms (
  passage bigint PRIMARY KEY REFERENCES arc_passages ON DELETE CASCADE,
  length integer NOT NULL,
  tenant text GENERATED ALWAYS AS (metadata ->> 'tenant') STORED,
  metadata jsonb NOT NULL, terms tsvector NOT NULL
);
ALTER TABLE arc_passage_terms ALTER terms SET STATISTICS 1000;
CREATE INDEX arc_passages_by_terms ON arc_passage_terms USING gin (terms) WITH (fastupdate = off);
CREATE TABLE arc_vector_spaces (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL, dimensions integer NOT NULL, UNIQUE (name, dimensions)
);
CREATE TABLE arc_vectors (
  passage bigint REFERENCES arc_passages ON DELETE CASCADE,
  space integer REFERENCES arc_vector_spaces ON DELETE CASCADE,
  vector halfvec NOT NULL, PRIMARY KEY (passage, space)
)
"""
"""The terms of a passage, which searches read, stand apart from its text, so that many fit into a
page. The metadata of a document is there again, so that a search need not look elsewhere for it."""


def _add_tables(op: Operations) -> None:
    for statement in _TABLES.split(";\n"):
        op.execute(statement)


_SCHEMA = SqlSchema(
    version_table="arc_documents_schema",
    revisions={"0001": _add_tables},
    lock=LOCK,
    probe=sa.text(_PROBE),
    remedy=_ADD,
)
"""A step is never changed once it is released; another way to split texts into terms needs one."""


def documents_address(text: str) -> SqlAddress:
    """Read `rag.url`; nothing is opened."""
    return read_sql_address(text, setting="rag.url", is_async=True)


async def open_engine(address: SqlAddress) -> AsyncEngine:
    """Open the connections of a database that has an index of this version of Arc.

    Raises:
        ConfigurationError: It cannot be reached or read, it has no index or another one, or no
            pgvector that is new enough.
    """
    async with _connecting(address) as connection:
        facts = await _get_facts(connection)
    _check_extension(facts, address)
    if facts.may_read is None:
        raise ConfigurationError(
            "the database of rag.url has no index of documents",
            evidence=[address.place],
            remedy=f"{_ADD}, or correct rag.url",
        )
    if not facts.may_read:
        tables = f"ALL TABLES IN SCHEMA {facts.schema} TO {facts.user}"
        raise _denied_error("read its documents", f"GRANT SELECT ON {tables}", address)
    return await _SCHEMA.open_engine(address)


async def make_index(address: SqlAddress) -> None:
    """Make the index if there is none, or bring it up to date; of two at once one makes it.

    Raises:
        ConfigurationError: The database cannot be reached or written, it has no pgvector that is
            new enough, or the index is newer than this version of Arc.
    """
    async with _connecting(address) as connection:
        await connection.execute(transaction_lock(address, LOCK))
        facts = await _get_facts(connection)
        _check_extension(facts, address)
        _check_rights(facts, address)
        if facts.installed is None:
            await _create_extension(connection, address)
    await _SCHEMA.upgrade(address)


@asynccontextmanager
async def _connecting(address: SqlAddress) -> AsyncIterator[AsyncConnection]:
    engine = make_engine(address)
    try:
        with explain_sql_failures(address):
            async with engine.connect() as connection:
                yield connection
    finally:
        await engine.dispose()


async def _get_facts(connection: AsyncConnection) -> Any:
    return (await connection.execute(_FACTS)).one()


async def _create_extension(connection: AsyncConnection, address: SqlAddress) -> None:
    try:
        await connection.execute(sa.text(_CREATE_EXTENSION))
        await connection.commit()
    except DBAPIError as error:
        if getattr(driver_error(error), "sqlstate", None) != _NO_RIGHT:
            raise
        raise _denied_error("create the extension vector", _CREATE_EXTENSION, address) from error


def _check_extension(facts: Any, address: SqlAddress) -> None:
    major = facts.server.partition(".")[0]
    version = facts.installed or facts.available
    evidence = [address.place, f"it is PostgreSQL {facts.server.split()[0]}"]
    install = (
        f"install pgvector 0.8 or newer on its server, on Debian and Ubuntu the package "
        f"postgresql-{major}-pgvector of apt.postgresql.org"
    )
    if version is None:
        raise ConfigurationError(
            "the database of rag.url has no pgvector", evidence=evidence, remedy=install
        )
    if _parse(version) < _OLDEST:
        is_there = facts.installed and _parse(facts.available or "0") >= _OLDEST
        update = "let an administrator run ALTER EXTENSION vector UPDATE"
        raise ConfigurationError(
            "the pgvector of rag.url is too old",
            evidence=[*evidence, f"its pgvector is {version}, needed is 0.8"],
            remedy=update
            if is_there
            else f"{install}; then {update}"
            if facts.installed
            else install,
        )
    if facts.installed and not facts.is_visible:
        schema = facts.extension_schema
        raise ConfigurationError(
            "the pgvector of rag.url is in a schema that is not searched",
            evidence=[*evidence, f"it is in the schema {schema}"],
            remedy=f"add {schema} to search_path in rag.url, behind the schema of the documents",
        )


def _check_rights(facts: Any, address: SqlAddress) -> None:
    schema, user = facts.schema, facts.user
    if facts.may_read is None and not facts.may_create:
        statement = f"GRANT CREATE ON SCHEMA {schema} TO {user}"
        raise _denied_error("create tables", statement, address)
    if facts.may_write is False:
        statement = f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {user}"
        raise _denied_error("write its documents", statement, address)


def _denied_error(action: str, statement: str, address: SqlAddress) -> ConfigurationError:
    return ConfigurationError(
        f"the user of rag.url may not {action}",
        evidence=[address.place],
        remedy=f"let an administrator run {statement}",
    )


def _parse(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
