"""Credentials in a database, as the settings have it."""

from collections.abc import Sequence

from arc_core import ConfigurationError, SchemaUpgrade, ServiceSource, UpgradesSchema
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.settings import ConversationSettings, ServerAddressSettings
from arc_core.stores.sql import SqlAddress, read_sql_address
from arc_plugins.credentials.keeping.encryption import Sealer
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from arc_plugins.credentials.keeping.sql_store import SqlCredentialStore
from arc_plugins.credentials.settings import CredentialsSettings, ServicesSettings


class SqlCredentials(KeptCredentials, UpgradesSchema):
    """Credentials in a database, encrypted, for all processes that have the keys."""

    def __init__(
        self,
        *,
        settings: CredentialsSettings,
        services: ServicesSettings,
        server: ServerAddressSettings,
        conversation: ConversationSettings,
        sources: Sequence[ServiceSource] = (),
    ) -> None:
        address = _find_address(settings, conversation)
        if not settings.keys:
            raise ConfigurationError(
                "credentials are to be kept in a database, and credentials.key is not set",
                remedy="set it to 32 bytes in base64, from a variable of the environment: "
                'credentials.key = "${CREDENTIALS_KEY}"',
            )
        self._sql = SqlCredentialStore(address, Sealer(settings.keys))
        super().__init__(
            self._sql, settings=settings, services=services, server=server, sources=sources
        )

    async def upgrade_schema(self) -> SchemaUpgrade:
        """Create the schema or bring it up to date."""
        return await self._sql.upgrade_schema()

    async def check_health(self) -> Health:
        """Count what is kept, and see that its keys are there."""
        count = await self._sql.count()
        return Health(status=HealthStatus.OK, summary=f"{count} credentials are kept, encrypted")


def _find_address(settings: CredentialsSettings, conversation: ConversationSettings) -> SqlAddress:
    url, setting = settings.url, "credentials.url"
    if url is None:
        url, setting = conversation.url, "conversation.url"
    if url is None:
        raise ConfigurationError(
            "credentials are to be kept in a database, and none is named",
            remedy="set credentials.url, as in sqlite:///credentials.db, or conversation.url, "
            "beside which they are kept then",
        )
    return read_sql_address(url.get_secret_value(), setting=setting, is_async=True)
