"""The services of MCP servers whose `auth` is `oauth`, each named as its server: `mcp:shop`."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from arc_core import CredentialError, Service, ServiceSource
from arc_plugins.tools.mcp.authorization.discovery import discover
from arc_plugins.tools.mcp.settings import McpSettings

_FRESH_S, _FAILED_S = 60.0, 3.0


@dataclass(slots=True)
class _Found:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    until: float = 0.0
    outcome: Service | CredentialError | None = None


class McpServices(ServiceSource):
    """Finds where people log in; for all who ask within a minute, once.

    Args:
        settings: Of the servers.
        clock: Seconds since some time.
    """

    def __init__(
        self, settings: McpSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._servers = {
            f"mcp:{name}": each for name, each in settings.servers.items() if each.auth == "oauth"
        }
        self._found = {name: _Found() for name in self._servers}

    async def find_service(self, name: str, *, anew: bool = False) -> Service | None:
        """Return the service of a server, which is asked `anew` at once.

        Raises:
            CredentialError: It cannot be found, or must not be trusted.
        """
        settings = self._servers.get(name)
        if settings is None:
            return None
        found = self._found[name]
        async with found.lock:
            is_failure = isinstance(found.outcome, CredentialError)
            is_over = found.outcome is None or found.until <= self._clock()
            if is_over or (anew and not is_failure):
                lasts_s = _FRESH_S
                try:
                    found.outcome = await discover(name, settings)
                except CredentialError as error:
                    found.outcome, lasts_s = error, _FAILED_S
                found.until = self._clock() + lasts_s
            outcome = found.outcome
        if isinstance(outcome, CredentialError):
            raise CredentialError(
                outcome.problem, service=name, retryable=outcome.retryable
            ) from outcome
        return outcome
