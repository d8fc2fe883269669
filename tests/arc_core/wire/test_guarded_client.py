"""Clients for servers that need not be trusted."""

import ssl
from typing import Any

import httpx2
import openai
import pytest

from arc_core.wire.guarded_client import GuardedAioHttpClient, GuardedClient


class _SdkClient(GuardedAioHttpClient, openai.DefaultAioHttpClient):
    """As the plugin of OpenAI makes one."""


def _context_of(base_url: str) -> ssl.SSLContext:
    client: Any = _SdkClient(base_url=base_url, max_reply_bytes=1, setting="llm.base_url")
    context: ssl.SSLContext = client._transport.ssl_context
    return context


@pytest.mark.parametrize(
    "headers", [{}, {"Accept": "text/plain", "X-One": "1"}, [("a", "1"), ("A", "2"), ("b", "3")]]
)
def test_a_request_has_the_headers_that_httpx_would_send(headers: Any) -> None:
    """Its own in the place of the client's, whatever their case; one name may come twice."""
    guarded = GuardedClient(max_reply_bytes=1, setting="llm.base_url", headers={"b": "own"})
    plain = httpx2.AsyncClient(headers={"b": "own"})

    made, expected = (
        client.build_request("POST", "http://acme.test/", headers=headers, content=b"{}")
        for client in (guarded, plain)
    )

    assert made.headers.raw == expected.headers.raw


def test_certificates_are_not_read_for_a_plain_address() -> None:
    """That takes long; what should come by TLS all the same is refused."""
    context = _context_of("http://127.0.0.1:11434/v1")

    assert context.cert_store_stats()["x509_ca"] == 0
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


@pytest.mark.parametrize("base_url", ["https://api.acme.test/v1", ""])
def test_certificates_of_other_addresses_are_checked(base_url: str) -> None:
    """By those that the system trusts, as the SDK's own client does."""
    own: Any = openai.DefaultAioHttpClient()
    expected = own._transport.ssl_context.cert_store_stats()

    assert _context_of(base_url).cert_store_stats() == expected
