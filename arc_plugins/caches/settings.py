"""What the cache in memory is told, and which cache is used."""

from typing import Annotated

from pydantic import Field

from arc_core import settings as core
from arc_core.settings import Harmless

__all__ = ["CacheSettings"]


class CacheSettings(core.CacheSettings):
    """Where answers are kept, and how many of them."""

    backend: Annotated[str, Harmless("chooses among what is installed, by name")] = "memory"
    max_size: int = Field(default=1000, ge=1, description="answers kept in memory")
