"""Replies that would fill the memory, lead elsewhere, or leave something behind."""

import asyncio
import gzip
import resource

import pytest

from arc_core import ChatResponse, ConfigurationError, InvalidResponseError, ModelUnavailableError
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import Reply, VendorServer
from tests.wire.answers import QUESTION, whole
from tests.wire.flood import FloodServer
from tests.wire.models import EACH, MODELS, VendorModel, asking
from tests.wire.scripts import TEXT_STREAMS

pytestmark = pytest.mark.slow

STREAMED_OR_NOT = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
MAX_BYTES = 1_000_000
ROOM_KB = 60_000  # for all that is not the reply
DELTAS = {
    MODELS[0]: b'data: {"choices":[{"index":0,"delta":{"content":"more"}}]}\n\n',
    MODELS[1]: b'event: ping\ndata: {"type":"ping"}\n\n',
    MODELS[2]: b'event: x\ndata: {"type":"response.in_progress"}\n\n',
    MODELS[3]: b'data: {"usageMetadata":{"promptTokenCount":1}}\n\n',
}


def peak_kb() -> int:
    """The most memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def ask(
    url: str, model_type: type[VendorModel], *, streaming: bool, max_bytes: int = MAX_BYTES
) -> ChatResponse:
    """One question to a server, with a bound."""
    model = model_type(settings=LlmSettings(base_url=f"{url}/v1", max_reply_bytes=max_bytes))
    try:
        return await (whole(model.stream(QUESTION)) if streaming else model.complete(QUESTION))
    finally:
        await model.aclose()


@EACH
@STREAMED_OR_NOT
@pytest.mark.parametrize("status", [200, 429, 500])
async def test_an_endless_reply_is_not_collected(
    model_type: type[VendorModel], status: int, *, streaming: bool
) -> None:
    """Whatever its status, it is left at the bound, with its connection closed and memory flat."""
    before_kb = peak_kb()

    async with FloodServer(DELTAS[model_type] * 2_000, status=status) as server:
        with pytest.raises(InvalidResponseError, match="more than 1000000 bytes"):
            await ask(server.url, model_type, streaming=streaming)
        await server.left_early.wait()

    assert peak_kb() - before_kb < ROOM_KB


@EACH
@STREAMED_OR_NOT
@pytest.mark.parametrize("status", [200, 500])
async def test_a_gzip_bomb_is_not_unpacked(
    model_type: type[VendorModel], status: int, *, streaming: bool
) -> None:
    """The bound counts what becomes of the bytes, not what travels."""
    bomb = gzip.compress(bytes(100_000_000), compresslevel=1)
    reply = Reply(body=bomb, status=status, headers={"content-encoding": "gzip"})
    before_kb = peak_kb()

    async with VendorServer(reply) as server:
        with pytest.raises(InvalidResponseError, match="more than 1000000 bytes"):
            await ask(server.url, model_type, streaming=streaming)

    assert peak_kb() - before_kb < ROOM_KB


@EACH
@STREAMED_OR_NOT
async def test_a_body_compressed_twice_is_refused(
    model_type: type[VendorModel], *, streaming: bool
) -> None:
    """Every further round multiplies the work of one piece, before anything can be counted."""
    body = gzip.compress(gzip.compress(b"{}"))
    reply = Reply(body=body, headers={"content-encoding": "gzip, gzip"})

    async with VendorServer(reply) as server:
        with pytest.raises(InvalidResponseError, match="compressed more than once"):
            await ask(server.url, model_type, streaming=streaming)


@EACH
async def test_a_compressed_answer_is_read(model_type: type[VendorModel]) -> None:
    """Below the bound, compression is allowed."""
    stream = Reply.events(TEXT_STREAMS[model_type])
    body = gzip.compress(stream.body)
    reply = Reply(body=body, headers={"content-encoding": "gzip"}, content_type=stream.content_type)

    async with VendorServer(reply, stream) as server:
        answers = [await ask(server.url, model_type, streaming=True) for _ in range(2)]

    assert answers[0] == answers[1]


@EACH
@STREAMED_OR_NOT
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(
    model_type: type[VendorModel], status: int, *, streaming: bool
) -> None:
    """The prompt goes where the settings say, and nowhere else; the error says what to do."""
    async with VendorServer() as elsewhere:
        target = elsewhere.url
        reply = Reply(status=status, headers={"location": f"{target}/v1/x?token=hush"})
        async with VendorServer(reply) as server:
            with pytest.raises(ModelUnavailableError) as caught:
                await ask(server.url, model_type, streaming=streaming)

    assert not caught.value.retryable
    assert elsewhere.requests == []
    assert f"redirects to {target} " in str(caught.value)
    assert "set llm.base_url to" in str(caught.value)
    assert "hush" not in str(caught.value)


@EACH
async def test_no_cookie_is_kept(model_type: type[VendorModel]) -> None:
    """What one answer sets does not travel with the next question."""
    cookies = {"set-cookie": "a=1; Path=/"}
    stream = TEXT_STREAMS[model_type]
    reply = Reply(body=stream, headers=cookies, content_type="text/event-stream")

    async with VendorServer(reply, reply) as server, asking(server, model_type) as model:
        for _ in range(2):
            await whole(model.stream(QUESTION))

    assert all("cookie" not in request.headers for request in server.requests)


@EACH
@STREAMED_OR_NOT
@pytest.mark.parametrize("status", [200, 400])
async def test_a_deadline_ends_an_endless_reply(
    model_type: type[VendorModel], status: int, *, streaming: bool
) -> None:
    """However much a server still has to say, and however high the bound is."""
    async with FloodServer(
        b": on\n\n" * 200, status=status, content_type="text/event-stream"
    ) as server:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await ask(server.url, model_type, streaming=streaming, max_bytes=10**12)


@EACH
@STREAMED_OR_NOT
async def test_a_password_in_the_address_is_a_wrong_setting(
    model_type: type[VendorModel], *, streaming: bool
) -> None:
    """It is told before anything is sent, and not as a lost connection."""
    async with VendorServer() as server:
        url = server.url.replace("://", "://wendy:hush@")
        with pytest.raises(ConfigurationError, match="holds a user name") as caught:
            await ask(url, model_type, streaming=streaming)

    assert "hush" not in str(caught.value)
    assert server.requests == []
