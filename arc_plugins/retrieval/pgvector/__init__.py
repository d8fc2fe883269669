"""Finds documents by words and by meaning, in PostgreSQL with the extension pgvector."""

from typing import Annotated

from pydantic import Field, SecretStr

from arc_core import settings as core
from arc_core.settings import NeedsTrust
from arc_core.text.addresses import check_database_address

__all__ = ["PgvectorRagSettings"]

_DATABASE = check_database_address(
    "postgres", "postgresql", "postgresql+asyncpg", "postgresql+psycopg"
)


class PgvectorRagSettings(core.RagSettings):
    """The database of the documents."""

    url: Annotated[
        SecretStr | None, NeedsTrust("models read this database, commands write it"), _DATABASE
    ] = Field(
        default=None, description="the PostgreSQL that has the documents; none is off, or rag.path"
    )
