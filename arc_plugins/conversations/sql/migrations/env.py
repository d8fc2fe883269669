"""Runs the migrations for Alembic, on the connection that it is handed."""

from alembic import context

from arc_plugins.conversations.sql.schema import VERSION_TABLE

__all__: list[str] = []

# transactional_ddl: SQLite can take a schema change back, which Alembic does not count on.
context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
