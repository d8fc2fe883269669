"""Clients for servers that need not be trusted."""

import sys
from types import FrameType
from typing import Any

import httpx2
import pytest

from arc_core.testing.vendor_server import Ending, Reply, VendorServer
from arc_core.wire.aiohttp_client import AioHttpClient
from arc_core.wire.guarded_client import GuardedClient


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


def test_an_address_is_taken_apart_once_for_all_requests() -> None:
    """Which httpx does twice for each, as long as the rest of making a request takes."""
    client = GuardedClient(
        max_reply_bytes=1, setting="llm.base_url", base_url="http://acme.test/v1"
    )
    taken_apart: list[object] = []

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name == "urlparse":
            taken_apart.append(frame)

    urls = [str(client.build_request("POST", "/chat").url)]
    sys.setprofile(note)
    try:
        urls += [str(client.build_request("POST", "/chat").url) for _ in range(3)]
    finally:
        sys.setprofile(None)

    assert set(urls) == {"http://acme.test/v1/chat"}
    assert not taken_apart


async def test_a_streamed_response_does_not_keep_the_body_of_its_request() -> None:
    """A long conversation would take memory until the last piece of the answer has come."""
    async with (
        VendorServer(Reply.json({"a": 1})) as server,
        GuardedClient(max_reply_bytes=100, setting="llm.base_url") as client,
        client.stream("POST", server.url, content=b"a long conversation") as response,
    ):
        body = await response.aread()

    assert server.requests[0].body == b"a long conversation"
    assert (body, response.is_closed) == (b'{"a": 1}', True)
    assert (response.request.method, response.request.url.host) == ("POST", "127.0.0.1")
    assert not response.request.headers
    assert response.request.read() == b""


@pytest.mark.parametrize("client_type", [GuardedClient, AioHttpClient])
async def test_an_error_in_a_stream_names_its_request(client_type: type[GuardedClient]) -> None:
    """Messages tell of which server a connection has broken."""
    async with (
        VendorServer(Reply(body=b"0123456789").cut_off(5, Ending.DROPPED)) as server,
        client_type(max_reply_bytes=100, setting="llm.base_url") as client,
        client.stream("POST", server.url, content=b"{}") as response,
    ):
        url = httpx2.URL(server.url)
        with pytest.raises(httpx2.TransportError) as caught:
            await response.aread()

    assert caught.value.request.url == url
    assert response.is_closed
