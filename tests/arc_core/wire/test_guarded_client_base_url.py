"""An address of a vendor holds no password, which would travel in the key's place."""

import traceback

import httpx2
import pytest

from arc_core import ConfigurationError
from arc_core.wire import check_base_url, explain_unreadable_address


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


def test_an_address_that_the_client_cannot_read_is_not_repeated() -> None:
    """The error names the setting and the variables, and has no trace of the client's own."""
    with (
        pytest.raises(ConfigurationError, match=r"llm\.base_url") as caught,
        explain_unreadable_address("llm.base_url"),
    ):
        httpx2.URL("http://u:hush/x@host")

    assert "hush" not in "".join(traceback.format_exception(caught.value))
