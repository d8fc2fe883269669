"""Rules of every `Credentials` that the engine relies on."""

import secrets
from abc import abstractmethod
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from arc_core.error_base import CredentialError
from arc_core.interfaces.credentials import Credential, Credentials, LoginNeeded, Owner
from arc_core.testing.conformance.components import (
    AsyncSuite,
    check_cancellation_leaves,
    check_interface,
    require,
    running,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS


def _credential() -> Credential:
    expires_at = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    return Credential(
        token=SecretStr(secrets.token_urlsafe(16)), expires_at=expires_at, scopes=("read",)
    )


def _owner(tenant_id: str | None = "acme") -> Owner:
    return Owner(user_id=f"ann-{secrets.token_hex(8)}", tenant_id=tenant_id)


class CredentialsConformance(AsyncSuite):
    """Inherit from it and say how your credentials are made.

    The tests put credentials of owners of their own, and ask for them.
    """

    service = "arc-conformance"
    """A service that people log in to, each for themselves."""

    @abstractmethod
    def make_credentials(self) -> Credentials:
        """New credentials, not started."""

    def make_failing_credentials(self) -> Credentials | None:
        """Credentials that cannot do their work, the server down; None if nothing can fail."""
        return None

    async def test_they_are_credentials(self) -> None:
        """They have the members of the interface, and none that is nearly so called."""
        check_interface(self.make_credentials(), Credentials)

    async def test_what_is_put_is_found(self) -> None:
        """With its token, its end, its refresh token and its scopes."""
        owner, credential = _owner(), _credential()
        async with running(self.make_credentials()) as credentials:
            await credentials.put(owner, self.service, credential)
            found = await credentials.get(owner, self.service)

        assert found == credential, "another credential came back"

    async def test_without_one_a_login_is_needed(self) -> None:
        """And it says at which service, and where."""
        async with running(self.make_credentials()) as credentials:
            found = await credentials.get(_owner(), self.service)

        assert isinstance(found, LoginNeeded), "a stranger has a credential"
        assert found.service == self.service
        assert found.url, "there is no page for the login"

    @pytest.mark.parametrize("tenant_id", ["other", None])
    async def test_other_owners_have_none(self, tenant_id: str | None) -> None:
        """Not those of another tenant or of none, even under the same user id."""
        owner = _owner()
        other = Owner(user_id=owner.user_id, tenant_id=tenant_id)
        async with running(self.make_credentials()) as credentials:
            await credentials.put(owner, self.service, _credential())
            found = await credentials.get(other, self.service)
            removed = await credentials.remove(other)

        assert isinstance(found, LoginNeeded), "a credential went to another owner"
        assert removed == 0, "a credential of another owner was removed"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_user_ids_are_any_text(self, text: str) -> None:
        """Each is an owner of its own, and no statement or path is made of it."""
        owner, credential = Owner(user_id=f"{text}{secrets.token_hex(8)}"), _credential()
        async with running(self.make_credentials()) as credentials:
            await credentials.put(owner, self.service, credential)
            found = await credentials.get(owner, self.service)

        assert found == credential, "it was not found under the id it was put under"

    async def test_the_last_one_put_counts(self) -> None:
        """There is one for each owner and service."""
        owner, last = _owner(), _credential()
        async with running(self.make_credentials()) as credentials:
            await credentials.put(owner, self.service, _credential())
            await credentials.put(owner, self.service, last)
            found = await credentials.get(owner, self.service)
            removed = await credentials.remove(owner)

        assert found == last, "an earlier one came back"
        assert removed == 1, "several were kept"

    async def test_what_is_removed_is_gone(self) -> None:
        """A login is needed again, and the number says what there was."""
        owner = _owner()
        async with running(self.make_credentials()) as credentials:
            await credentials.put(owner, self.service, _credential())
            counts = [await credentials.remove(owner, self.service) for _ in range(2)]
            found = await credentials.get(owner, self.service)

        assert counts == [1, 0]
        assert isinstance(found, LoginNeeded), "a removed credential came back"

    async def test_a_refused_token_is_not_given_again(self) -> None:
        """Without a refresh token, a login is needed."""
        owner, credential = _owner(), _credential()
        async with running(self.make_credentials()) as credentials:
            await credentials.put(owner, self.service, credential)
            found = await credentials.get(owner, self.service, rejected=credential)
            again = await credentials.get(owner, self.service)

        assert isinstance(found, LoginNeeded), "the refused token came back at once"
        assert isinstance(again, LoginNeeded), "the refused token came back later"

    async def test_a_token_that_was_refused_earlier_is_forgotten(self) -> None:
        """If there is another one by now, it is given."""
        owner, earlier, credential = _owner(), _credential(), _credential()
        async with running(self.make_credentials()) as credentials:
            await credentials.put(owner, self.service, credential)
            found = await credentials.get(owner, self.service, rejected=earlier)

        assert found == credential

    async def test_a_token_that_has_ended_is_not_given(self) -> None:
        """Without a refresh token, a login is needed."""
        owner, ended = _owner(), datetime.now(UTC) - timedelta(minutes=1)
        credential = Credential(token=SecretStr("ended"), expires_at=ended)
        async with running(self.make_credentials()) as credentials:
            await credentials.put(owner, self.service, credential)
            found = await credentials.get(owner, self.service)

        assert isinstance(found, LoginNeeded), "a token came back that has ended"

    @pytest.mark.parametrize("user_id", ["anonymous", " anonymous ", "", " "])
    async def test_a_user_that_is_not_known_owns_none(self, user_id: str) -> None:
        """A run without a user is refused: all of them would share what one has allowed."""
        owner = Owner(user_id=user_id, tenant_id="acme")
        async with running(self.make_credentials()) as credentials:
            with pytest.raises(CredentialError):
                await credentials.put(owner, self.service, _credential())
            with pytest.raises(CredentialError):
                await credentials.get(owner, self.service)

    async def test_secrets_are_not_shown(self) -> None:
        """Neither the component nor what it gives has them in its text."""
        owner, credential = _owner(), _credential()
        async with running(self.make_credentials()) as credentials:
            await credentials.put(owner, self.service, credential)
            found = await credentials.get(owner, self.service)
            printed = f"{credentials!r} {found!r} {found}"

        assert credential.token.get_secret_value() not in printed

    async def test_a_cancellation_leaves(self) -> None:
        """A caller may be cancelled while it asks."""
        async with running(self.make_credentials()) as credentials:
            await check_cancellation_leaves(credentials.get(_owner(), self.service))

    async def test_a_failure_is_an_error(self) -> None:
        """And never looks like a login that is needed, or like a credential."""
        failing = require(self.make_failing_credentials(), "make_failing_credentials")
        with pytest.raises(Exception):  # noqa: B017, PT011 -- of any kind, from start or get
            async with running(failing) as credentials:
                await credentials.get(_owner(), self.service)
