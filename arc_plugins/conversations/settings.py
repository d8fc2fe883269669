"""Settings of the stores and managers of conversations."""

from typing import Annotated

from pydantic import Field, SecretStr

from arc_core import settings as core
from arc_core.settings import NeedsTrust
from arc_core.text.addresses import check_database_address

_DATABASE = check_database_address(
    "sqlite", "sqlite+aiosqlite", "postgres", "postgresql", "postgresql+asyncpg",
    "postgresql+psycopg",
)  # fmt: skip


class HistorySettings(core.ConversationSettings):
    """The memory of conversations: its extent, and its database."""

    url: Annotated[
        SecretStr | None, NeedsTrust("conversations are read and written there"), _DATABASE
    ] = Field(default=None, description="the database of conversations; none keeps them in memory")
    max_turns: int = Field(default=10, ge=0)
    summarize: bool = Field(default=False, description="tell the model of older turns in short")

    @property
    def step(self) -> int:
        """By how many turns the beginning of what is sent of a session moves at once."""
        return 1 if self.trim is core.Trim.EXACT else max(1, self.max_turns // 2)


ConversationSettings = HistorySettings
"""Another name, which programs import."""
