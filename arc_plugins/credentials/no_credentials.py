"""Keeps no credentials: what fills the slot as long as the settings name nothing that does."""

from typing import Any, NoReturn

from arc_core import ConfigurationError, Credential, CredentialError, Credentials, Owner
from arc_core.interfaces.optional import Health, HealthStatus
from arc_plugins.credentials.settings import ServicesSettings

_PROBLEM = 'nothing keeps credentials; set credentials.backend = "sql"'


class NoCredentials(Credentials):
    """Refuses every tool that would act for a person, and says which setting is missing."""

    async def get(self, owner: Owner, service: str, **options: Any) -> NoReturn:
        """Raise a `CredentialError`: there is none."""
        raise CredentialError(_PROBLEM, service=service)

    async def put(self, owner: Owner, service: str, credential: Credential) -> None:
        """Raise a `CredentialError`: there is no place for it."""
        raise CredentialError(_PROBLEM, service=service)

    async def remove(self, owner: Owner, service: str | None = None) -> int:
        """There is none."""
        return 0

    async def check_health(self) -> Health:
        """Nothing to check."""
        return Health(status=HealthStatus.SKIPPED, summary="no credentials are kept")


def no_credentials(services: ServicesSettings) -> NoCredentials:
    """Return credentials that refuse.

    Raises:
        ConfigurationError: Services are set, and nothing that is there keeps their credentials.
    """
    if services.by_name:
        raise ConfigurationError(
            "services are set, and nothing keeps the credentials for them",
            evidence=[f"services.{name} is set" for name in services.by_name],
            remedy='set credentials.backend = "sql"',
        )
    return NoCredentials()
