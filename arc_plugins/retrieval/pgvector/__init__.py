"""Finds documents by words and by meaning, in PostgreSQL with the extension pgvector."""

from typing import Annotated

from pydantic import Field, SecretStr, field_validator

from arc_core import settings as core
from arc_core.settings import NeedsTrust
from arc_core.text.addresses import check_database_address

__all__ = ["PgvectorRagSettings"]

_DATABASES = frozenset({
    "postgres", "postgresql", "postgresql+asyncpg", "postgresql+psycopg",
})  # fmt: skip


class PgvectorRagSettings(core.RagSettings):
    """The database of the documents."""

    url: Annotated[SecretStr | None, NeedsTrust("models read this database, commands write it")] = (
        Field(
            default=None,
            description="the PostgreSQL that has the documents; none is off, or rag.path",
        )
    )

    @field_validator("url")
    @classmethod
    def _is_database(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            check_database_address(value.get_secret_value(), schemes=_DATABASES)
        return value
