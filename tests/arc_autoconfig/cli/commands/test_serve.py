"""`arc serve`: where it does not listen."""

import pytest

from tests.arc_autoconfig.cli.invoking import invoke


def test_it_does_not_listen_for_others_without_keys() -> None:
    """The message says which setting lets it."""
    result = invoke("serve", "--host", "0.0.0.0", "--port", "0")

    assert result.exit_code == 2
    assert "the server must not listen on 0.0.0.0 without keys" in result.output
    assert "server.api_keys" in result.output


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_that_cannot_be_is_wrong_usage(port: str) -> None:
    """As with every option."""
    result = invoke("serve", "--port", port)

    assert result.exit_code == 2
    assert "--port" in result.output
