"""What goes wrong on the wire, for each API: each fault has its code, and no secret leaves."""

import asyncio
import logging
import socket
import traceback
from contextlib import aclosing
from itertools import product

import pytest

from arc_core import AgentErrorCode, IncompleteStreamError, ModelError, QuotaExceededError
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import Ending, ReceivedRequest, Reply, VendorServer
from tests.wire.answers import QUESTION, whole
from tests.wire.models import EACH, KEY, MODELS, VendorModel, asking
from tests.wire.scripts import TEXT_STREAMS

pytestmark = pytest.mark.slow

PAGE = Reply(body=b"<html><body>502 Bad gateway</body></html>", content_type="text/html")
ZEROS = b'{"choices":[{}],"content":[0]}'
STREAMED_OR_NOT = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])


async def get_failure(
    model_type: type[VendorModel], reply: Reply, *, streaming: bool, read_timeout_s: float = 30
) -> ModelError:
    """The error that a reply leads to."""
    async with (
        VendorServer(reply) as server,
        asking(server, model_type, read_timeout_s=read_timeout_s) as model,
    ):
        with pytest.raises(ModelError) as caught:
            await (whole(model.stream(QUESTION)) if streaming else model.complete(QUESTION))
    return caught.value


@EACH
@STREAMED_OR_NOT
@pytest.mark.parametrize("ending", [Ending.DROPPED, Ending.RESET])
async def test_a_connection_lost_before_the_answer_is_unavailable(
    model_type: type[VendorModel], ending: Ending, *, streaming: bool
) -> None:
    """It is tried again: nothing was handed out."""
    error = await get_failure(model_type, Reply.nothing(ending), streaming=streaming)

    assert (error.code, error.retryable) == (AgentErrorCode.UNAVAILABLE, True)


@EACH
@STREAMED_OR_NOT
async def test_silence_is_a_timeout(model_type: type[VendorModel], *, streaming: bool) -> None:
    """A server that accepts and says nothing is given up."""
    error = await get_failure(
        model_type, Reply.nothing(Ending.STALLED), streaming=streaming, read_timeout_s=0.05
    )

    assert (error.code, error.retryable) == (AgentErrorCode.TIMEOUT, True)


@EACH
async def test_silence_in_the_middle_is_a_timeout(model_type: type[VendorModel]) -> None:
    """A stream that stalls is given up too."""
    stream = Reply.events(TEXT_STREAMS[model_type])

    error = await get_failure(
        model_type, stream.cut_off(400, Ending.STALLED), streaming=True, read_timeout_s=0.05
    )

    assert error.code is AgentErrorCode.TIMEOUT


@EACH
async def test_a_refused_connection_is_unavailable(model_type: type[VendorModel]) -> None:
    """No server listens at the address."""
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    model = model_type(settings=LlmSettings(base_url=url))

    with pytest.raises(ModelError) as caught:
        await model.complete(QUESTION)
    await model.aclose()

    assert caught.value.code is AgentErrorCode.UNAVAILABLE


@EACH
@pytest.mark.parametrize("reply", [PAGE, Reply.json({"choices": []})], ids=["page", "json"])
async def test_what_is_not_a_stream_is_an_incomplete_one(
    model_type: type[VendorModel], reply: Reply
) -> None:
    """A proxy's page with status 200 is not an answer, and no SDK says so."""
    error = await get_failure(model_type, reply, streaming=True)

    assert isinstance(error, IncompleteStreamError)
    assert error.code is AgentErrorCode.UNAVAILABLE


@EACH
@pytest.mark.parametrize(
    ("body", "code"),
    [
        *product([b"", b"<html>", b'{"choices":[{"message"'], [AgentErrorCode.UNAVAILABLE]),
        *product([b"[]", b"null", b"{}", ZEROS], [AgentErrorCode.INVALID_RESPONSE]),
    ],
)
async def test_what_is_not_an_answer_has_a_code(
    model_type: type[VendorModel], body: bytes, code: AgentErrorCode
) -> None:
    """A page, or JSON that breaks off, is a failure on the way; other JSON is not an answer."""
    error = await get_failure(model_type, Reply(body=body), streaming=False)

    assert error.code is code


@EACH
@pytest.mark.parametrize(
    ("data", "code"),
    [
        *product([b"{", b"\xff\xfe"], [AgentErrorCode.UNAVAILABLE]),
        *product([b"[1]", b"null", b"7"], [AgentErrorCode.INVALID_RESPONSE]),
    ],
)
async def test_a_garbled_event_ends_the_stream(
    model_type: type[VendorModel], data: bytes, code: AgentErrorCode
) -> None:
    """An event in the middle that is not JSON, or not the JSON it should be, has a code."""
    stream = TEXT_STREAMS[model_type]
    end = stream.index(b"\n\n", 400) + 2
    garbled = stream[:end] + b"data: " + data + b"\n\n"

    error = await get_failure(model_type, Reply.events(garbled), streaming=True)

    assert error.code is code


@EACH
async def test_a_huge_event_is_refused(model_type: type[VendorModel]) -> None:
    """Fifty megabytes in one event are not collected."""
    huge = b"data: " + b"x" * 50_000_000 + b"\n\n"

    error = await get_failure(
        model_type, Reply.events(huge, cuts=range(65536, len(huge), 65536)), streaming=True
    )

    assert error.code is AgentErrorCode.INVALID_RESPONSE
    assert "8388608 are allowed" in str(error)


@EACH
@STREAMED_OR_NOT
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, AgentErrorCode.AUTHENTICATION),
        (403, AgentErrorCode.AUTHENTICATION),
        (404, AgentErrorCode.UNKNOWN),
        (408, AgentErrorCode.TIMEOUT),
        (413, AgentErrorCode.CONTEXT_TOO_LONG),
        (418, AgentErrorCode.UNKNOWN),
        (429, AgentErrorCode.RATE_LIMITED),
        (500, AgentErrorCode.UNAVAILABLE),
        (503, AgentErrorCode.UNAVAILABLE),
        (529, AgentErrorCode.OVERLOADED),
        (599, AgentErrorCode.UNAVAILABLE),
    ],
)
async def test_a_status_has_its_code(
    model_type: type[VendorModel], status: int, code: AgentErrorCode, *, streaming: bool
) -> None:
    """With a page in place of the vendor's JSON, the status alone decides."""
    reply = Reply(body=PAGE.body, status=status, content_type="text/html")

    error = await get_failure(model_type, reply, streaming=streaming)

    assert error.code is code


@EACH
async def test_the_vendors_wish_to_wait_is_kept(model_type: type[VendorModel]) -> None:
    """`Retry-After` travels with the error; only the engine tries again."""
    reply = Reply.json({"error": {"message": "slow"}}, status=429, headers={"retry-after": "7"})
    async with VendorServer(reply, reply) as server, asking(server, model_type) as model:
        with pytest.raises(ModelError) as caught:
            await model.complete(QUESTION)

    assert caught.value.retry_after_s == 7
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("model_type", "body"),
    [
        (MODELS[0], {"error": {"code": "insufficient_quota", "message": "no money"}}),
        (MODELS[1], {"error": {"details": {"error_code": "enforced_spend_limit_reached"}}}),
        (MODELS[3], {"error": {"details": [{"violations": [{"quotaId": "RequestsPerDay"}]}]}}),
    ],
)
async def test_a_spent_budget_leads_to_no_retry(
    model_type: type[VendorModel], body: dict[str, object]
) -> None:
    """It arrives as 429 like a rate limit, and is for good."""
    error = await get_failure(model_type, Reply.json(body, status=429), streaming=False)

    assert isinstance(error, QuotaExceededError)
    assert not error.retryable


def echoing(request: ReceivedRequest) -> Reply:
    """A server that quotes the credentials it was sent."""
    return Reply.json({"error": {"message": str(dict(request.headers))}}, status=401)


@EACH
@STREAMED_OR_NOT
async def test_no_secret_is_printed(
    model_type: type[VendorModel], caplog: pytest.LogCaptureFixture, *, streaming: bool
) -> None:
    """A key that a server echoes reaches neither the error, nor its causes, nor a log."""
    caplog.set_level(logging.DEBUG)
    async with VendorServer(echoing) as server, asking(server, model_type) as model:
        with pytest.raises(ModelError) as caught:
            await (whole(model.stream(QUESTION)) if streaming else model.complete(QUESTION))
        logging.getLogger("arc").error("failed", exc_info=caught.value)

    printed = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert "***" in printed
    assert KEY not in printed + repr(caught.value)


@EACH
async def test_an_abandoned_stream_gives_its_connection_back(model_type: type[VendorModel]) -> None:
    """Leaving in the middle closes the connection, and the next request has another."""
    stream = Reply.events(TEXT_STREAMS[model_type])
    stalled = stream.cut_off(600, Ending.STALLED)

    async with VendorServer(stalled, stream) as server, asking(server, model_type) as model:
        async with aclosing(model.stream(QUESTION)) as deltas:
            await anext(deltas)
        await server.wait_until(lambda: server.open_connections == 0)
        await whole(model.stream(QUESTION))

    assert [request.connection for request in server.requests] == [0, 1]


@EACH
@STREAMED_OR_NOT
async def test_a_cancelled_request_gives_its_connection_back(
    model_type: type[VendorModel], *, streaming: bool
) -> None:
    """Cancellation leaves at once and closes the connection behind it."""
    silence = Reply.nothing(Ending.STALLED)
    async with VendorServer(silence) as server, asking(server, model_type) as model:
        asked = whole(model.stream(QUESTION)) if streaming else model.complete(QUESTION)
        task = asyncio.create_task(asked)
        await server.wait_until(lambda: server.finished_replies == 1)

        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        await server.wait_until(lambda: server.open_connections == 0)


@EACH
async def test_a_finished_stream_leaves_its_connection_for_the_next(
    model_type: type[VendorModel],
) -> None:
    """Connections are reused: no stream is left half read."""
    stream = Reply.events(TEXT_STREAMS[model_type], cuts=range(50, 5000, 50))
    async with VendorServer(*[stream] * 3) as server, asking(server, model_type) as model:
        for _ in range(3):
            await whole(model.stream(QUESTION))

    assert [request.connection for request in server.requests] == [0, 0, 0]


@EACH
@STREAMED_OR_NOT
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_server_that_does_not_run_is_named(
    model_type: type[VendorModel], host: str, *, streaming: bool
) -> None:
    """Its address without credentials, that it refuses connections, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as unused:
        origin = f"http://{host}:{unused.getsockname()[1]}"
    model = model_type(settings=LlmSettings(base_url=f"{origin}/hush?token=hush"))

    with pytest.raises(ModelError) as caught:
        await (whole(model.stream(QUESTION)) if streaming else model.complete(QUESTION))
    await model.aclose()

    assert f"{origin} cannot be reached: connection refused" in str(caught.value)
    assert "start the server" in str(caught.value)
    assert "hush" not in str(caught.value)
