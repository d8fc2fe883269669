"""Settings of the cache in memory, and the choice of a cache."""

from typing import Annotated

from pydantic import Field

from arc_core import settings as core
from arc_core.settings import Harmless


class MemoryCacheSettings(core.CacheSettings):
    """The place of kept answers, and their number."""

    backend: Annotated[str, Harmless("chooses among what is installed, by name")] = "memory"
    max_size: int = Field(default=1000, ge=1, description="answers kept in memory")


CacheSettings = MemoryCacheSettings
"""Another name, which programs import."""
