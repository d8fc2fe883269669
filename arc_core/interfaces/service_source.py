"""Services at which people log in, beside those of the settings.

`Credentials` asks, if a login or a renewal needs a service that `services` does not have, such as
the server of some tools and its logins. Fails closed: without the service there is no credential.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from pydantic import SecretStr

from arc_core.components.extension_points import contribution
from arc_core.text.address_rules import AddressRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service of OAuth 2.1 at which people log in, and what it says of itself.

    Attributes:
        authorize_url: The page on which people log in.
        token_url: Where tokens are had.
        setting: Where the service is set, for messages.
        client_id: The name of this application there; None if it is to get one.
        client_secret: Proves that it is this application; None if it has none.
        client_auth: How the secret is sent, in a header or in the body; `none` is without one.
        registration_url: Where an application gets a name (RFC 7591); None if nowhere.
        takes_documents: Whether the name may be the address of a document about the application.
        scopes: What people are asked to allow, if nothing else is wanted.
        issuer: Names the authorization server; another one than before is refused.
        is_confirmed: Whether the settings name it, so that another one than before is right.
        promises_issuer: Whether its answers have an `iss` (RFC 9207), without which they are none.
        resource: For what the tokens are (RFC 8707); None if that is not said.
        rules: Of the addresses, if another server has named them; None if the settings do.
    """

    authorize_url: str
    token_url: str
    setting: str
    client_id: str | None = None
    client_secret: SecretStr | None = None
    client_auth: Literal["basic", "post", "none"] = "basic"
    registration_url: str | None = None
    takes_documents: bool = False
    scopes: tuple[str, ...] = ()
    issuer: str | None = None
    is_confirmed: bool = False
    promises_issuer: bool = False
    resource: str | None = None
    rules: AddressRules | None = None


@contribution("service_sources", group="arc.service_sources", fails_closed=True)
@runtime_checkable
class ServiceSource(Protocol):
    """Knows services that the settings do not have."""

    @abstractmethod
    async def find_service(self, name: str, *, anew: bool = False) -> Service | None:
        """Return the service of this name; None if this source does not know it.

        Args:
            name: Of the service.
            anew: True if its last credential was refused: what was found before may have changed.

        Raises:
            CredentialError: It knows it, and cannot say how people log in there.
        """
