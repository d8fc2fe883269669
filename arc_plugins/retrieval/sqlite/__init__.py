"""Finds documents by words and by meaning, in a file of SQLite's."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from arc_core import settings as core
from arc_core.settings import NeedsTrust

__all__ = ["SqliteRagSettings"]


class SqliteRagSettings(core.RagSettings):
    """The place of the documents."""

    path: Annotated[Path | None, NeedsTrust("models read this file, commands write it")] = Field(
        default=None, description="the index of documents; none is off"
    )
