"""Callers by their keys, from a component of one's own: a database, a vault, an identity service.

A service: `@provides(ApiKeys)` offers one. The server asks it once for each request whose key is
not one of `server.api_keys` and `server.api_keys_file`. Fails closed: a request is answered 503 if
it raises an `OSError` or takes longer than `concurrency.component_timeout_s`, and 500 if it raises
anything else.
"""

from abc import abstractmethod
from typing import Protocol, runtime_checkable

from arc_core.runs.callers import Caller


@runtime_checkable
class ApiKeys(Protocol):
    """Finds callers by their keys."""

    @abstractmethod
    async def find(self, key: str) -> Caller | None:
        """Return who shows a key; None if it is not a key.

        Args:
            key: As it was sent; keep and compare its hash rather than the key.
        """
