"""Without a setting nothing keeps credentials, and who asks is told which setting is missing."""

import pytest
from pydantic import SecretStr

from arc_core import Credential, CredentialError, Credentials, Owner
from arc_plugins.credentials.no_credentials import NoCredentials
from tests.arc_plugins.wired import wired

ANN = Owner(user_id="ann", tenant_id="acme")


def test_it_fills_the_slot_without_settings() -> None:
    """Nothing else takes part."""
    assert wired(Credentials).winners == ["none"]


async def test_it_names_the_setting() -> None:
    """For what is asked and for what is put alike."""
    credentials = NoCredentials()

    with pytest.raises(CredentialError, match=r"'github'.*credentials\.backend"):
        await credentials.get(ANN, "github")
    with pytest.raises(CredentialError, match=r"credentials\.backend"):
        await credentials.put(ANN, "github", Credential(token=SecretStr("secret")))


async def test_there_is_nothing_to_remove() -> None:
    """Removing is never an error."""
    assert await NoCredentials().remove(ANN) == 0
