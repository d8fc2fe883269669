"""The suite for credentials fails for those that break their contract, and passes for good ones."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr

from arc_core import Credential, CredentialError, Credentials, LoginNeeded, Owner, identity_of
from arc_core.testing.conformance import credentials as suite_module
from arc_core.testing.conformance.credentials import CredentialsConformance
from arc_core.testing.fakes import DictCredentials
from tests.arc_core.testing.conformance.suites import Fault

Reply = Credential | LoginNeeded


class SimpleCredentials(DictCredentials):
    """Keeps them in a dictionary, as the contract says."""

    def key(self, owner: Owner, service: str) -> Any:
        """By what a credential is found."""
        return owner, service

    def check(self, owner: Owner, service: str) -> None:
        """Refuse a run without a user."""
        if identity_of(owner.user_id) == "anonymous":
            raise CredentialError("`anonymous` owns none", service=service)

    def is_good(self, found: Credential, rejected: Credential | None) -> bool:
        """Return whether it may be given."""
        has_ended = found.expires_at is not None and found.expires_at <= datetime.now(UTC)
        return not has_ended and not (rejected and rejected.token == found.token)

    async def get(
        self, owner: Owner, service: str, *, rejected: Credential | None = None, **options: Any
    ) -> Reply:
        """One that is good, or where the login is made."""
        self.check(owner, service)
        found = self.kept.get(self.key(owner, service))
        if found is not None and not self.is_good(found, rejected):
            del self.kept[self.key(owner, service)]
            found = None
        return found or LoginNeeded(service=service, url="https://login.example/")

    async def put(self, owner: Owner, service: str, credential: Credential) -> None:
        """Keep it."""
        self.check(owner, service)
        self.kept[self.key(owner, service)] = credential


class TestGoodCredentials(CredentialsConformance):
    """The suite passes."""

    def make_credentials(self) -> Credentials:
        """Good ones."""
        return SimpleCredentials()


class OfAllTenants(SimpleCredentials):
    """Forgets to look at the tenant."""

    def key(self, owner: Owner, service: str) -> Any:
        return owner.user_id, service


class SharedByAll(SimpleCredentials):
    """Gives credentials to runs without a user."""

    def check(self, owner: Owner, service: str) -> None:
        return


class Stubborn(SimpleCredentials):
    """Gives what was refused, and what has ended."""

    def is_good(self, found: Credential, rejected: Credential | None) -> bool:
        return True


class Talkative(SimpleCredentials):
    """Shows what it keeps."""

    def __repr__(self) -> str:
        return repr([each.token.get_secret_value() for each in self.kept.values()])


class Forgetful(SimpleCredentials):
    """Keeps nothing."""

    async def put(self, owner: Owner, service: str, credential: Credential) -> None:
        return


class Undeleting(SimpleCredentials):
    """Says that it has removed something, and has not."""

    async def remove(self, owner: Owner, service: str | None = None) -> int:
        return 1


FAULTS = [
    Fault(OfAllTenants, "other_owners_have_none", "other"),
    Fault(SharedByAll, "a_user_that_is_not_known_owns_none", "anonymous"),
    Fault(Stubborn, "a_refused_token_is_not_given_again"),
    Fault(Stubborn, "a_token_that_has_ended_is_not_given"),
    Fault(Talkative, "secrets_are_not_shown"),
    Fault(Forgetful, "what_is_put_is_found"),
    Fault(Undeleting, "what_is_removed_is_gone"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_fault_is_found(fault: Fault) -> None:
    """By the rule that is about it."""
    await fault.check(suite_module.CredentialsConformance)


def test_a_credential_is_shown_without_its_secrets() -> None:
    """In its text, in a format, and inside of other values."""
    credential = Credential(token=SecretStr("secret-1"), refresh_token=SecretStr("secret-2"))

    shown = f"{credential} {credential!r} {[credential]} {credential.token}"

    assert "secret-" not in shown
    assert "***" in shown
