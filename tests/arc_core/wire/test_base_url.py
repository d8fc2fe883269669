"""An address of a vendor holds no password, which would travel in the key's place."""

import httpx2
import pytest

from arc_core import ConfigurationError
from arc_core.wire import check_base_url


def test_a_password_in_the_address_is_refused() -> None:
    """The error names the setting, the server and the remedy, and no password."""
    with pytest.raises(ConfigurationError) as caught:
        check_base_url(
            httpx2.URL("http://wendy:hush@host:81/v1"), setting="llm.base_url", key_variable="A_KEY"
        )

    told = str(caught.value)
    assert "llm.base_url" in told
    assert "http://host:81" in told
    assert "set A_KEY" in told
    assert "wendy" not in told
    assert "hush" not in told


def test_an_address_without_a_password_is_taken() -> None:
    """Whatever its path is."""
    check_base_url(httpx2.URL("http://host/@x"), setting="llm.base_url", key_variable="A_KEY")
