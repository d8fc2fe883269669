"""Settings of services and keys are refused if they would send or keep secrets in clear."""

import base64
from typing import Any

import pytest
from pydantic import ValidationError

from arc_plugins.credentials.settings import CredentialsSettings, ServiceSettings

OAUTH = {
    "authorize_url": "https://github.example/authorize",
    "token_url": "https://github.example/token",
    "client_id": "arc",
}
SECRET = "a-secret-that-is-never-repeated"


@pytest.mark.parametrize(
    ("service", "problem"),
    [
        ({**OAUTH, "token_url": "http://github.example/token"}, "has to begin with https"),
        ({**OAUTH, "token_url": "http://10.0.0.7/token"}, "has to begin with https"),
        ({**OAUTH, "token_url": "https://user:pw@github.example/"}, "has no user"),
        ({**OAUTH, "authorize_url": "javascript:alert(1)"}, "is not an address"),
        ({**OAUTH, "client_id": None}, "client_id is missing"),
        ({**OAUTH, "token": SECRET}, 'of the mode "application" alone'),
        ({"mode": "application"}, "token is missing"),
        ({**OAUTH, "mode": "anonymous"}, "'user', 'tenant' or 'application'"),
    ],
)
def test_a_service_that_is_wrong_is_refused(service: dict[str, Any], problem: str) -> None:
    """With what to do, and without what is secret."""
    with pytest.raises(ValidationError) as raised:
        ServiceSettings.model_validate(service)

    assert problem in str(raised.value)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("host", ["127.0.0.1:8020", "localhost", "[::1]:8020"])
def test_a_server_of_this_machine_may_do_without_encryption(host: str) -> None:
    """For tests and tutorials."""
    address = f"http://{host}/token"

    service = ServiceSettings.model_validate({**OAUTH, "token_url": address})

    assert service.token_url == address


@pytest.mark.parametrize(
    "key",
    [
        SECRET,
        base64.b64encode(b"31 bytes are too few for a key.").decode(),
        [base64.b64encode(b"k" * 32).decode(), SECRET],
    ],
)
def test_a_key_of_another_length_is_refused(key: Any) -> None:
    """And the key is not repeated."""
    with pytest.raises(ValidationError, match="is not 32 bytes in base64") as raised:
        CredentialsSettings.model_validate({"key": key})

    assert SECRET not in str(raised.value)


def test_the_first_key_encrypts() -> None:
    """Keys stand in the order of the list; one may stand alone."""
    one, two = (base64.b64encode(each * 32).decode() for each in (b"a", b"b"))

    several = CredentialsSettings.model_validate({"key": [one, two]})
    single = CredentialsSettings.model_validate({"key": two})

    assert several.keys == (b"a" * 32, b"b" * 32)
    assert single.keys == (b"b" * 32,)
