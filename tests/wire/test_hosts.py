"""Models of vendors at hosts: recorded streams and errors, and what is sent."""

import json
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arc_core import (
    AuthenticationError,
    ChatResponse,
    ContextTooLongError,
    InvalidRequestError,
    ModelError,
    ModelUnavailableError,
    RateLimitError,
    RefusedError,
)
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_core.wire import EventStreamDecoder
from arc_plugins.hosts.bedrock.eventstream import EventstreamDecoder
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.arc_plugins.hosts.bedrock.signatures import is_signed
from tests.arc_plugins.hosts.bedrock.test_eventstream import chunk, frame
from tests.wire.answers import QUESTION, whole
from tests.wire.hosts import (
    AWS_SECRET,
    AZURE_KEY,
    EVENTSTREAM,
    asking_host,
    give_credentials,
    google_token,
)
from tests.wire.models import VendorModel
from tests.wire.recorded import ROOT, Recording, parameters_of, recorded

HOSTS = ("azure", "bedrock", "vertex")
OPENAI, ANTHROPIC, RESPONSES = OpenAIChatModel, AnthropicChatModel, OpenAIResponsesChatModel
BY_API: dict[str, type[VendorModel]] = {
    "chat": OPENAI,
    "messages": ANTHROPIC,
    "responses": RESPONSES,
}


def recordings(kind: str) -> list[Recording]:
    """Those of all hosts in the APIs of these models."""
    paths = [ROOT / host / "index.json" for host in HOSTS]
    entries = [each for path in paths if path.exists() for each in json.loads(path.read_text())]
    return [
        Recording(each["file"], each)
        for each in entries
        if each["kind"] == kind and each.get("api") in {None, *BY_API}
    ]


ANSWERS, ERRORS = recordings("answer"), recordings("error")


@pytest.fixture(autouse=True)
async def tokens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[VendorServer]:
    """Credentials of all hosts."""
    async with VendorServer(*[google_token()] * 4) as server:
        give_credentials(monkeypatch, tmp_path, tokens=server)
        yield server


def reply_of(recording: Recording, *, step: int = 0) -> Reply:
    """A recording as it is sent, in pieces of `step` bytes if that is not 0."""
    wire = recording.facts.get("wire")
    body = recording.body
    cuts = range(step, len(body), step) if step else ()
    if wire == "eventstream":
        return Reply(body=body, content_type=EVENTSTREAM, cuts=cuts)
    return Reply.events(body, cuts=cuts) if wire == "sse" else Reply(body=body)


async def ask(recording: Recording, reply: Reply) -> ChatResponse:
    """What the model says of a reply, whole or as a stream, as it was recorded."""
    host = recording.file.partition("/")[0]
    model_type = BY_API[recording.facts.get("api") or ("messages" if host == "bedrock" else "chat")]
    async with VendorServer(reply, reply) as server, asking_host(server, model_type, host) as model:
        if recording.facts.get("wire") in {"sse", "eventstream"}:
            return await whole(model.stream(QUESTION))
        return await model.complete(QUESTION)


def said_by(answer: ChatResponse) -> dict[str, Any]:
    """The parts of an answer that the indexes of hosts have."""
    calls = [
        {"name": each.name, "arguments": json.loads(each.arguments or "{}")}
        for each in answer.message.tool_calls
    ]
    thoughts = _without_blanks("".join(each.text for each in answer.message.reasoning))
    return {"text": answer.message.content, "calls": calls, "thoughts": thoughts}


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def test_the_recordings_are_there() -> None:
    """In CI, nothing is skipped for want of them."""
    assert (ANSWERS and ERRORS) or not os.environ.get("CI")


@pytest.mark.parametrize("recording", parameters_of(ANSWERS))
async def test_answers_say_what_is_expected(recording: Recording) -> None:
    """Text, thoughts, calls and counts of tokens, streamed and whole."""
    expected = recording.facts["said"]

    answer = await ask(recording, reply_of(recording))

    calls = [{name: each[name] for name in ("name", "arguments")} for each in expected["calls"]]
    wanted = {
        "text": expected["text"],
        "calls": calls,
        "thoughts": _without_blanks(expected["thoughts"]),
    }
    assert said_by(answer) == wanted
    if expected["prompt"] and answer.usage is not None:
        assert answer.usage.prompt_tokens in expected["prompt"]
        assert answer.usage.completion_tokens in expected["completion"]


STREAMS = [each for each in ANSWERS if each.facts["wire"] != "json"]


@pytest.mark.parametrize("recording", parameters_of(STREAMS))
def test_no_cut_changes_the_events(recording: Recording) -> None:
    """At every single byte, and at all of them."""
    is_framed = recording.facts["wire"] == "eventstream"
    kind = EventstreamDecoder if is_framed else EventStreamDecoder
    body = recording.body[:8000] if not is_framed else recording.body
    decoder = kind()
    events = [*decoder.feed(body), *decoder.close()]

    for cut in range(1, len(body)):
        decoder = kind()
        assert [*decoder.feed(body[:cut]), *decoder.feed(body[cut:]), *decoder.close()] == events
    decoder = kind()
    single = [each for place in range(len(body)) for each in decoder.feed(body[place : place + 1])]
    assert [*single, *decoder.close()] == events


@pytest.mark.slow
@pytest.mark.parametrize("recording", parameters_of(STREAMS))
async def test_pieces_over_the_socket_say_the_same(recording: Recording) -> None:
    """In some 300 pieces."""
    step = 1 + len(recording.body) // 300

    in_pieces = await ask(recording, reply_of(recording, step=step))
    at_once = await ask(recording, reply_of(recording))

    assert said_by(in_pieces) == said_by(at_once)
    assert in_pieces.usage == at_once.usage


ERROR_TYPES: dict[str, type[ModelError]] = {
    "azure/error_400_1.json": RefusedError,
    "azure/error_401_1.json": AuthenticationError,
    "azure/error_429_1.json": RateLimitError,
    "azure/made_429_rate_limit.json": RateLimitError,
    "bedrock/error_400_1.json": ContextTooLongError,
    "bedrock/error_403_1.json": AuthenticationError,
    "bedrock/error_403_2.json": AuthenticationError,
    "bedrock/made_400_on_demand.json": InvalidRequestError,
    "bedrock/made_403_model_not_enabled.json": AuthenticationError,
    "bedrock/made_429_throttling.json": RateLimitError,
    "bedrock/made_internalServerException.eventstream": ModelUnavailableError,
    "bedrock/made_modelStreamErrorException.eventstream": ModelUnavailableError,
    "bedrock/made_throttlingException.eventstream": RateLimitError,
}
"""What is not named is a request that is not valid."""


@pytest.mark.parametrize("recording", parameters_of(ERRORS))
async def test_errors_have_their_types(recording: Recording) -> None:
    """With what to do, and how long to wait, and the id of the request."""
    headers = {
        name: value
        for name, value in (recording.facts.get("headers") or {}).items()
        if name not in {"content-type", "content-length", "transfer-encoding"}
    }
    status = recording.facts.get("status") or 400
    reply = replace(reply_of(recording), status=status, headers=headers)

    with pytest.raises(ModelError) as found:
        await ask(recording, replace(reply, headers=headers))

    assert type(found.value) is ERROR_TYPES.get(recording.file, InvalidRequestError)
    request_id = headers.get("x-amzn-requestid") or headers.get("apim-request-id")
    assert request_id is None or request_id in str(found.value)
    if "retry-after" in headers:
        assert found.value.retry_after_s == float(headers["retry-after"])


async def test_what_bedrock_is_sent_is_signed_for_it() -> None:
    """The bytes of the path and of the body, without the model, the stream and any key."""
    reply = reply_of(recorded("text_1.eventstream", STREAMS))
    model = "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-v1:0"
    async with (
        VendorServer(reply) as server,
        asking_host(server, ANTHROPIC, "bedrock", model=model) as asked,
    ):
        await whole(asked.stream(QUESTION))
    sent = server.requests[0]

    assert sent.path == (
        "/model/arn:aws:bedrock:us-east-1:1:inference-profile%2Fus.anthropic.claude-v1:0"
        "/invoke-with-response-stream"
    )
    assert is_signed(sent.path, sent.headers, sent.body, secret=AWS_SECRET)
    assert sent.json()["anthropic_version"] == "bedrock-2023-05-31"
    assert not {"model", "stream"} & sent.json().keys()
    assert "x-api-key" not in sent.headers


@pytest.mark.parametrize("model_type", [OPENAI, RESPONSES])
async def test_azure_gets_its_own_key_alone(
    model_type: type[VendorModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenAI's never leaves for another company."""
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    async with VendorServer() as server, asking_host(server, model_type, "azure") as model:
        with pytest.raises(ModelError):
            await model.complete(QUESTION)
    sent = server.requests[0]

    assert sent.path.startswith("/openai/v1/")
    assert sent.headers["api-key"] == AZURE_KEY
    assert "authorization" not in sent.headers
    assert "key-of-openai" not in str(sent.headers)


async def test_a_token_that_vertex_refuses_is_renewed_once(
    tokens: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no more than once: then the run fails, or falls back."""
    refused = Reply.json({"error": {"code": 401, "status": "UNAUTHENTICATED"}}, status=401)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-anthropic")
    async with (
        VendorServer(refused, refused, refused) as server,
        asking_host(server, ANTHROPIC, "vertex") as model,
    ):
        with pytest.raises(AuthenticationError, match="gcloud"):
            await model.complete(QUESTION)

    assert [len(server.requests), len(tokens.requests)] == [2, 2]
    assert server.requests[0].headers["authorization"] == "Bearer ya29.token"
    assert "key-of-anthropic" not in str(server.requests[0].headers)
    assert server.requests[0].path.endswith("/publishers/anthropic/models/m:1:rawPredict")


async def test_credentials_that_end_in_mid_stream_are_an_authentication_error() -> None:
    """What was said by then is not an answer."""
    start = chunk(b'{"type":"message_start","message":{"usage":{"input_tokens":1}}}')
    ended = frame(
        b'{"message":"expired"}', exception_type="expiredTokenException", message_type="exception"
    )
    reply = Reply(body=start + ended, content_type=EVENTSTREAM)
    async with VendorServer(reply) as server, asking_host(server, ANTHROPIC, "bedrock") as model:
        with pytest.raises(AuthenticationError, match="renew the credentials"):
            await whole(model.stream(QUESTION))
