"""Credentials of people at services: with them a tool acts for the person who asks.

A tool asks by `await context.credential("github")`, which asks this component once for each call of
it. Fails closed: without a credential nothing is done in a person's name.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from pydantic import SecretStr

from arc_core.components.extension_points import slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A person for whom tools act.

    Attributes:
        user_id: The user; `anonymous` never owns a credential.
        tenant_id: The user's company or team, if any.
    """

    user_id: str
    tenant_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """The right to act for a person at a service. Its secrets print as asterisks.

    Attributes:
        token: The access token; `token.get_secret_value()` is the text for a header.
        expires_at: Until when the service takes the token, with a time zone; None if that is not
            known.
        refresh_token: By which a new token is had without the person; None if there is none.
        scopes: What it is good for, in the service's words; empty if that is not known.
    """

    token: SecretStr
    expires_at: datetime | None = None
    refresh_token: SecretStr | None = None
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginNeeded:
    """There is no credential until the person has logged in at the service.

    Attributes:
        service: The name of the service, such as `github`.
        url: The page that the person opens, good for days and for one login.
        scopes: What the person will be asked to allow.
    """

    service: str
    url: str
    scopes: tuple[str, ...] = ()


@slot("credentials", group="arc.credentials", preference="credentials.backend")
@runtime_checkable
class Credentials(Protocol):
    """Keeps the credentials of people, each for its owner alone, and renews them."""

    @abstractmethod
    async def get(
        self,
        owner: Owner,
        service: str,
        *,
        rejected: Credential | None = None,
        scopes: Sequence[str] = (),
    ) -> Credential | LoginNeeded:
        """Return a credential that is good as far as is known, renewed if need be.

        However many ask at once, one credential is renewed once.

        Args:
            owner: For whom.
            service: The name of a service, such as `github`.
            rejected: A credential that was given before and that the service has refused. If it
                cannot be renewed, it is forgotten, and a login is needed.
            scopes: What the service wants beside what `rejected` is good for. The credential is
                kept then, and a login is needed that asks for these, too; if a login has asked for
                them already, it is an error.

        Raises:
            CredentialError: There is none, and a login would not help: the service is not known or
                does not answer, or the owner may not own one.
        """

    @abstractmethod
    async def put(self, owner: Owner, service: str, credential: Credential) -> None:
        """Keep a credential in the place of the one before.

        Raises:
            CredentialError: The owner cannot own one.
        """

    @abstractmethod
    async def remove(self, owner: Owner, service: str | None = None) -> int:
        """Forget a credential of an owner, or all of them.

        Args:
            owner: Whose.
            service: At which service; None is all services.

        Returns:
            How many there were.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCredential:
    """A credential in a list, without its secrets.

    Attributes:
        owner: Whose it is; a tenant's has a blank user.
        service: The name of the service.
        expires_at: Until when its token is good; None if that is not known.
        scopes: What it is good for.
        can_renew: Whether it is renewed without the person.
    """

    owner: Owner
    service: str
    expires_at: datetime | None = None
    scopes: tuple[str, ...] = ()
    can_renew: bool = False


@runtime_checkable
class ListsCredentials(Protocol):
    """Credentials that can be listed, encrypted anew, and forgotten though their key is lost.

    `arc credentials` asks for all three.
    """

    @abstractmethod
    async def list_kept(self) -> Sequence[KeptCredential]:
        """All credentials, sorted by tenant, user and service."""

    @abstractmethod
    async def rotate(self) -> int:
        """Encrypt with the first key whatever is encrypted with another one.

        Returns:
            How many credentials that were.
        """

    @abstractmethod
    async def remove_unopened(self, owner: Owner | None, service: str | None = None) -> int:
        """Forget credentials without opening them; the component is not started.

        Args:
            owner: Whose, as in `Credentials.remove`; None forgets all that no key opens.
            service: At which service; None is all services.

        Returns:
            How many there were.

        Raises:
            ConfigurationError: What keeps them cannot be reached.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A login that a person is to make, or has made.

    Attributes:
        owner: Whose credential it gives; a tenant's has a blank user.
        service: The name of the service.
        scopes: What the person is asked to allow.
    """

    owner: Owner
    service: str
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginRefused:
    """A login that does not take place; nothing has changed.

    Attributes:
        reason: A sentence for the person, without secrets.
    """

    reason: str


@runtime_checkable
class CompletesLogins(Protocol):
    """Credentials that people get by logging in with a browser; a surface leads them there."""

    @abstractmethod
    async def find_login(self, login_id: str) -> Login | LoginRefused:
        """Return the login that is asked for under an id.

        Args:
            login_id: The end of the path of `LoginNeeded.url`.
        """

    @abstractmethod
    async def begin_login(self, login_id: str, *, browser: str) -> str | LoginRefused:
        """Return the service's address at which the person logs in.

        Args:
            login_id: The end of the path of `LoginNeeded.url`.
            browser: A secret that this browser alone has, in a cookie.
        """

    @abstractmethod
    async def complete_login(
        self, answer: Mapping[str, str], *, browser: str | None
    ) -> Login | LoginRefused:
        """Take what the service has sent back by the browser, and keep the credential.

        Args:
            answer: The parameters of the callback's address.
            browser: The secret of the browser that has brought them; None if it has none.
        """

    @abstractmethod
    async def close_login(self, login: Login) -> None:
        """Forget a login that was made, once the runs that wait for it go on.

        Until then its link stays good, so that the person can log in again if that has failed. A
        login that is needed anew by now, or for more scopes, stays.

        Args:
            login: As `complete_login` has returned it.
        """
