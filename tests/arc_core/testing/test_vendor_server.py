"""The loopback vendor: sends what it is told and records what it is sent."""

import asyncio
import json

import pytest

from arc_core.testing.vendor_server import Ending, ReceivedRequest, Reply, VendorServer

REQUEST = b"POST /v1/chat?x=1 HTTP/1.1\r\nHost: a\r\nX-Key: Value\r\nContent-Length: 4\r\n\r\nbody"
HEAD_END = b"\r\n\r\n"


async def exchanged(server: VendorServer, *requests: bytes) -> bytes:
    """All that the server sends on one connection, until one of both closes it."""
    reader, writer = await asyncio.open_connection(*server.url.removeprefix("http://").split(":"))
    writer.writelines(requests)
    writer.write_eof()
    received = await reader.read()
    writer.close()
    await writer.wait_closed()
    return received


async def test_requests_are_recorded() -> None:
    """Method, path, headers and body arrive as they were sent."""
    async with VendorServer(Reply()) as server:
        await exchanged(server, REQUEST)

    headers = {"host": "a", "x-key": "Value", "content-length": "4"}
    assert server.requests == [ReceivedRequest("POST", "/v1/chat?x=1", headers, b"body", 0)]


async def test_replies_come_in_order_on_one_connection() -> None:
    """A complete reply leaves the connection open for the next."""
    async with VendorServer(Reply.json(1), Reply.json(2, status=529)) as server:
        received = await exchanged(server, REQUEST, REQUEST)

    first, second = received.split(b"HTTP/1.1 ")[1:]
    assert first.startswith(b"200 OK\r\n")
    assert second.startswith(b"529 Unknown\r\n")
    assert [request.connection for request in server.requests] == [0, 0]


async def test_a_body_is_sent_in_its_pieces() -> None:
    """Each piece is a chunk of its own."""
    async with VendorServer(Reply.events(b"data: a\n\n", cuts=[6])) as server:
        received = await exchanged(server, REQUEST)

    head, body = received.split(HEAD_END, 1)
    assert b"content-type: text/event-stream; charset=utf-8" in head
    assert body == b"6\r\ndata: \r\n3\r\na\n\n\r\n0\r\n\r\n"


async def test_a_client_reads_the_pieces_one_by_one() -> None:
    """Pieces do not run together on their way."""
    body = bytes(range(100))
    async with VendorServer(Reply.events(body, cuts=range(1, 100))) as server:
        host, port = server.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(REQUEST)
        await reader.readuntil(HEAD_END)
        reads = [await reader.read(1000) for _ in range(100)]
        writer.close()

    assert reads == [b"1\r\n%c\r\n" % number for number in body]


async def test_a_dropped_reply_is_unfinished() -> None:
    """What was to be sent is sent, the end is missing."""
    reply = Reply.events(b"data: a\n\n").cut_off(6, Ending.DROPPED)
    async with VendorServer(reply) as server:
        received = await exchanged(server, REQUEST, REQUEST)

    assert received.endswith(b"6\r\ndata: \r\n")
    assert len(server.requests) == 1


async def test_a_reset_is_an_error_for_the_client() -> None:
    """The client's system reports it."""
    async with VendorServer(Reply.nothing(Ending.RESET)) as server:
        with pytest.raises(ConnectionResetError):
            await exchanged(server, REQUEST)


async def test_a_stalled_reply_ends_with_its_client() -> None:
    """The server keeps silent until the client leaves."""
    async with VendorServer(Reply.nothing(Ending.STALLED)) as server:
        received = await exchanged(server, REQUEST)
        await server.wait_until(lambda: server.open_connections == 0)

    assert (received, server.finished_replies) == (b"", 1)


async def test_closing_the_server_ends_what_stalls() -> None:
    """No client has to leave for a test to end."""
    async with VendorServer(Reply.nothing(Ending.STALLED)) as server:
        host, port = server.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(REQUEST)
        await server.wait_until(lambda: server.finished_replies == 1)

    assert await reader.read() == b""
    writer.close()


async def test_a_reply_may_depend_on_the_request() -> None:
    """A function makes it."""

    def echo(request: ReceivedRequest) -> Reply:
        return Reply(body=request.body)

    async with VendorServer() as server:
        server.add(echo)
        received = await exchanged(server, REQUEST)

    assert b"\r\nbody\r\n" in received


async def test_without_a_reply_the_server_says_so() -> None:
    """A request too many is an error of the server."""
    async with VendorServer() as server:
        received = await exchanged(server, REQUEST)

    assert b"500 Internal Server Error" in received
    assert b"no reply left" in received


async def test_a_request_can_be_read_as_json() -> None:
    """Bodies of chat models are JSON."""
    assert ReceivedRequest("POST", "/", {}, json.dumps({"a": 1}).encode(), 0).json() == {"a": 1}


async def test_the_server_must_be_started() -> None:
    """Its address is known inside `async with` only."""
    with pytest.raises(RuntimeError, match="async with"):
        _ = VendorServer().url


def test_a_body_is_cut_where_it_was_asked() -> None:
    """Each position begins a new piece; none is empty."""
    reply = Reply(body=b"abcdef", cuts=[4, 2, 2, 0, 6, 9])

    assert reply.pieces() == [b"ab", b"cd", b"ef"]


def test_cuts_beyond_a_shortened_body_are_ignored() -> None:
    """A reply that breaks off sends what comes before."""
    reply = Reply.events(b"abcdef", cuts=[2, 5]).cut_off(3, Ending.DROPPED)

    assert (reply.pieces(), reply.ending) == ([b"ab", b"c"], Ending.DROPPED)


def test_json_is_written() -> None:
    """A value becomes a body."""
    assert Reply.json({"a": 1}, status=429).body == b'{"a": 1}'
