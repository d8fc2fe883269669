"""Credentials in this process, for tests."""

from collections.abc import Sequence

from arc_core import ServiceSource
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.settings import ServerAddressSettings
from arc_plugins.credentials.keeping.in_memory_store import InMemoryCredentialStore
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from arc_plugins.credentials.settings import CredentialsSettings, ServicesSettings


class InMemoryCredentials(KeptCredentials):
    """Credentials that are gone with the process."""

    def __init__(
        self,
        *,
        settings: CredentialsSettings,
        services: ServicesSettings,
        server: ServerAddressSettings,
        sources: Sequence[ServiceSource] = (),
    ) -> None:
        store = InMemoryCredentialStore()
        super().__init__(
            store, settings=settings, services=services, server=server, sources=sources
        )

    async def check_health(self) -> Health:
        """They are gone with the process, and other processes do not have them."""
        return Health(
            status=HealthStatus.WARNING,
            summary="credentials are in memory, and gone with the process",
            remedy='set credentials.backend = "sql"',
        )
