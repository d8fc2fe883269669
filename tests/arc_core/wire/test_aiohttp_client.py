"""A client of httpx on aiohttp."""

import ssl
from typing import Any

import aiohttp
import httpx2
import openai
import pytest

from arc_core.testing.vendor_server import Ending, Reply, VendorServer
from arc_core.wire.aiohttp_client import AioHttpClient


def make_client(**options: Any) -> AioHttpClient:
    """A client that is open."""
    return AioHttpClient(max_reply_bytes=100_000, setting="llm.base_url", **options)


async def test_a_proxy_is_asked_with_its_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual variables name it."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with VendorServer(Reply.json({})) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("://", "://ann:hush@"))
        async with make_client() as client:
            response = await client.post("http://vendor.example/a", content=b"{}")

    assert response.status_code == 200
    assert proxy.requests[0].path == "http://vendor.example/a"
    assert proxy.requests[0].headers["proxy-authorization"] == "Basic YW5uOmh1c2g="
    assert "authorization" not in proxy.requests[0].headers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply.nothing(Ending.STALLED), httpx2.ReadTimeout),
        (Reply.nothing(Ending.RESET), httpx2.ReadError),
        (Reply(body=b"{}").cut_off(1, Ending.DROPPED), httpx2.ReadError),
    ],
)
async def test_a_failure_is_one_of_httpx(
    reply: Reply, expected: type[httpx2.TransportError]
) -> None:
    """Code that catches those of httpx need not know of aiohttp."""
    async with (
        VendorServer(reply) as server,
        make_client(timeout=httpx2.Timeout(10, read=0.2)) as client,
    ):
        with pytest.raises(expected) as caught:
            await client.post(server.url, content=b"{}")

    assert isinstance(caught.value.__cause__, aiohttp.ClientError)


async def test_closing_a_client_closes_its_connections() -> None:
    """Those that are kept for the next request, too."""
    async with VendorServer(Reply.json({"a": 1})) as server:
        async with make_client(base_url=server.url) as client:
            response = await client.post("/a", content=b"{}")
        await server.wait_until(lambda: server.open_connections == 0)

    assert response.json() == {"a": 1}
    assert response.http_version == "HTTP/1.1"


async def test_the_first_piece_of_a_long_body_does_not_wait_for_the_rest() -> None:
    """A reader can decode it first, although all of the body is there."""
    body = b"0123456789" * 5_000
    async with (
        VendorServer(Reply(body=body)) as server,
        make_client() as client,
        client.stream("POST", server.url, content=b"{}") as response,
    ):
        pieces = [piece async for piece in response.aiter_raw()]

    assert len(pieces[0]) <= 4_096
    assert b"".join(pieces) == body


def context_of(base_url: str) -> ssl.SSLContext:
    """The certificates that a client trusts."""
    client: Any = make_client(base_url=base_url)
    context: ssl.SSLContext = client._transport._ssl_context
    return context


def test_certificates_are_not_read_for_a_plain_address() -> None:
    """That takes long; what should come by TLS all the same is refused."""
    context = context_of("http://127.0.0.1:11434/v1")

    assert context.cert_store_stats()["x509_ca"] == 0
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


@pytest.mark.parametrize("base_url", ["https://api.acme.test/v1", ""])
def test_certificates_of_other_addresses_are_checked(base_url: str) -> None:
    """By those that the system trusts, as a vendor's SDK does."""
    own: Any = openai.DefaultAioHttpClient()
    expected = own._transport.ssl_context.cert_store_stats()

    assert context_of(base_url).cert_store_stats() == expected
