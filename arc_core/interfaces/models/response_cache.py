"""The cache of answers to identical questions.

The engine looks up once per eligible run of `execute()` before the model is asked and stores once
after it. Fails open: an exception is logged and counted, and the run goes on without the cache.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import slot
from arc_core.usage import TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedResponse:
    """A successful answer, before the response filters.

    Attributes:
        content: The answer's text.
        tools_used: By the run that made it.
        token_usage: Of the run that made it.
    """

    content: str
    tools_used: tuple[str, ...] = ()
    token_usage: TokenUsage | None = None


@slot("response_cache", group="arc.response_caches", preference="cache.backend")
@runtime_checkable
class ResponseCache(Protocol):
    """Keeps answers under opaque keys (hexadecimal SHA-256)."""

    @abstractmethod
    async def get(self, key: str) -> CachedResponse | None:
        """The answer under this key, None if there is none or it has expired."""

    @abstractmethod
    async def put(self, key: str, response: CachedResponse) -> None:
        """Keep an answer, replacing the one before."""

    @abstractmethod
    async def invalidate(self, key: str) -> None:
        """Forget one answer; nothing happens if there is none."""

    @abstractmethod
    async def invalidate_all(self) -> None:
        """Forget all answers."""
