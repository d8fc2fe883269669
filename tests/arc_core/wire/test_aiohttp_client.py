"""A client of httpx on aiohttp."""

import aiohttp
import httpx2
import pytest

from arc_core.testing.vendor_server import Ending, Reply, VendorServer
from arc_core.wire.aiohttp_client import AioHttpClient
from arc_core.wire.guarded_client import GuardedAioHttpClient


class Client(GuardedAioHttpClient, AioHttpClient):
    """As a vendor's plugin has it."""


def make_client(**options: object) -> Client:
    """A client that is open."""
    return Client(max_reply_bytes=1000, setting="llm.base_url", **options)


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
