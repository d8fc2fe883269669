"""Hosts that refuse, whose clocks differ, or whose answers are damaged on the way."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from arc_core import AgentCommand, AgentErrorCode, AuthenticationError, ModelError, RunFinished
from arc_core.settings import AgentSettings
from arc_core.testing import scripted_agent
from arc_core.testing.vendor_server import Ending, ReceivedRequest, Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from tests.arc_plugins.hosts.bedrock.signatures import is_signed
from tests.arc_plugins.hosts.bedrock.test_eventstream import chunk
from tests.arc_plugins.hosts.vertex.accounts import write_account
from tests.wire.answers import QUESTION, whole
from tests.wire.hosts import (
    AT_HOSTS,
    AWS_SECRET,
    EVENTSTREAM,
    asking_host,
    give_credentials,
    google_token,
)
from tests.wire.models import VendorModel
from tests.wire.scripts import TEXT_STREAMS, WORDS, text_reply

STREAMED_OR_NOT = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
EACH = pytest.mark.parametrize(("host", "model_type"), AT_HOSTS.values(), ids=AT_HOSTS)
WHOLE = text_reply(AnthropicChatModel, "Fine.")
FAMILY = "http://internal.amazon.com/coral/com.amazon.coral.service/"


@pytest.fixture(autouse=True)
async def tokens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[VendorServer]:
    """Credentials of all hosts."""
    async with VendorServer(*[google_token()] * 4) as server:
        give_credentials(monkeypatch, tmp_path, tokens=server)
        yield server


async def get_failure(
    reply: Reply, host: str, model_type: type[VendorModel], *, streaming: bool = False
) -> ModelError:
    """The error that a reply leads to, however often the host is asked."""
    async with VendorServer(reply, reply) as server, asking_host(server, model_type, host) as model:
        with pytest.raises(ModelError) as caught:
            await (whole(model.stream(QUESTION)) if streaming else model.complete(QUESTION))
    return caught.value


@EACH
@STREAMED_OR_NOT
@pytest.mark.parametrize("status", [200, 502])
async def test_a_page_of_a_proxy_is_not_an_answer(
    host: str, model_type: type[VendorModel], status: int, *, streaming: bool
) -> None:
    """With a status of success or without; it is tried again, since a proxy may recover."""
    page = Reply(body=b"<html>Bad gateway</html>", content_type="text/html", status=status)

    error = await get_failure(page, host, model_type, streaming=streaming)

    assert (error.code, error.retryable) == (AgentErrorCode.UNAVAILABLE, True)


def refusal_of_amazon(kind: str, *, status: int = 403, date: str = "") -> Reply:
    """An error as Bedrock sends it."""
    headers = {"x-amzn-errortype": f"{kind}:{FAMILY}", **({"date": date} if date else {})}
    return Reply.json({"message": "Refused."}, status=status, headers=headers)


def refusal_of_google(status: int, name: str, reason: str = "") -> Reply:
    """An error as Vertex sends it, in a list."""
    error = {"code": status, "status": name, "message": "Refused.", "details": [{"reason": reason}]}
    return Reply.json([{"error": error}], status=status)


def refusal_of_azure(status: int, code: str) -> Reply:
    """An error as Azure sends it."""
    return Reply.json({"error": {"code": code, "message": "Refused."}}, status=status)


NOT_ENABLED = "enable the model for this account in the console of Bedrock"
REFUSALS: dict[str, list[tuple[Reply, str]]] = {
    "azure": [
        (refusal_of_azure(404, "DeploymentNotFound"), "set llm.model to the name of a deployment"),
        (refusal_of_azure(401, "401"), "it must be of the resource at llm.base_url"),
        (refusal_of_azure(403, "PermissionDenied"), "grant the account the role"),
    ],
    "bedrock": [
        (refusal_of_amazon("AccessDeniedException"), NOT_ENABLED),
        (refusal_of_amazon("ResourceNotFoundException", status=404), NOT_ENABLED),
        (refusal_of_amazon("InvalidSignatureException"), "llm.region is that of the address"),
        (refusal_of_amazon("UnrecognizedClientException"), "correct llm.region"),
    ],
    "vertex": [
        (refusal_of_google(404, "NOT_FOUND"), "set llm.region to one that has it"),
        (refusal_of_google(403, "PERMISSION_DENIED"), "roles/aiplatform.user"),
        (
            refusal_of_google(403, "PERMISSION_DENIED", "SERVICE_DISABLED"),
            "enable the Vertex AI API",
        ),
    ],
}


@pytest.mark.parametrize(
    ("host", "model_type", "reply", "remedy"),
    [(*pair, *each) for pair in AT_HOSTS.values() for each in REFUSALS[pair[0]]],
)
async def test_a_wrong_region_and_a_model_that_is_not_enabled_fall_back(
    host: str, model_type: type[VendorModel], reply: Reply, remedy: str
) -> None:
    """They are about the account, which another model may not need; the error says what to do."""
    error = await get_failure(reply, host, model_type, streaming=True)

    assert error.code is AgentErrorCode.AUTHENTICATION
    assert remedy in str(error)


@pytest.mark.slow
async def test_a_token_that_ends_in_mid_stream_ends_no_stream(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The stream goes on; the next calls wait for one other token, which all of them use."""
    ends = Reply.json({"access_token": "ya29.ends", "expires_in": 1, "token_type": "Bearer"})
    stream = Reply.events(TEXT_STREAMS[AnthropicChatModel], cuts=range(1, 2000, 200))
    async with VendorServer(ends, *[google_token()] * 2) as source:
        write_account(tmp_path / "ends.json", token_uri=f"{source.url}/token")
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "ends.json"))
        async with (
            VendorServer(stream, *[WHOLE] * 200) as server,
            asking_host(server, AnthropicChatModel, "vertex") as model,
        ):
            deltas = aiter(model.stream(QUESTION))
            said = [await anext(deltas)]
            async with asyncio.TaskGroup() as group:
                for _ in range(200):
                    group.create_task(model.complete(QUESTION))
            said += [delta async for delta in deltas]

        assert len(source.requests) == 2
    assert "".join(delta.text or "" for delta in said) == "".join(WORDS)
    used = [request.headers["authorization"] for request in server.requests]
    assert used == ["Bearer ya29.ends", *["Bearer ya29.token"] * 200]


def keys_of_amazon(name: str) -> Reply:
    """Credentials as a container gets them."""
    ends = datetime.now(UTC) + timedelta(hours=1)
    return Reply.json(
        {
            "AccessKeyId": name,
            "SecretAccessKey": AWS_SECRET,
            "Token": "t",
            "Expiration": ends.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
    )


@pytest.mark.parametrize(
    ("kind", "status"),
    [("ExpiredTokenException", 403), ("ExpiredToken", 400), ("UnrecognizedClientException", 403)],
)
async def test_expired_keys_are_renewed_once_and_the_request_is_repeated(
    kind: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With those that the container has by then; a second refusal is an error."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    refusal = refusal_of_amazon(kind, status=status)
    async with VendorServer(*map(keys_of_amazon, ["FIRST", "SECOND", "THIRD"])) as container:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{container.url}/keys")
        async with (
            VendorServer(refusal, WHOLE, refusal, refusal) as server,
            asking_host(server, AnthropicChatModel, "bedrock") as model,
        ):
            answer = await model.complete(QUESTION)
            with pytest.raises(AuthenticationError, match="renew the credentials"):
                await model.complete(QUESTION)

    assert answer.message.content == "Fine."
    used = [each.headers["authorization"].split("/")[0][-6:] for each in server.requests]
    assert used == ["=FIRST", "SECOND", "SECOND", "=THIRD"]
    assert len(container.requests) == 3


class ClockOfAmazon:
    """Bedrock's clock, which is ahead of this machine's, and what it makes of signatures."""

    def __init__(self, ahead: timedelta) -> None:
        self.ahead = ahead

    def answer(self, request: ReceivedRequest) -> Reply:
        """Refuse what was not signed within five minutes of now."""
        assert is_signed(request.path, request.headers, request.body, secret=AWS_SECRET)
        now = datetime.now(UTC) + self.ahead
        signed = datetime.strptime(request.headers["x-amz-date"] + "+0000", "%Y%m%dT%H%M%SZ%z")
        if abs(now - signed) < timedelta(minutes=5):
            return WHOLE
        date = format_datetime(now, usegmt=True)
        return refusal_of_amazon("InvalidSignatureException", date=date)


@pytest.mark.parametrize("hours", [1, -1, 24 * 365])
async def test_a_wrong_clock_is_corrected_by_the_hosts(hours: int) -> None:
    """The first request is sent twice, later ones once, until a clock is set anew."""
    clock = ClockOfAmazon(timedelta(hours=hours))
    async with (
        VendorServer(*[clock.answer] * 5) as server,
        asking_host(server, AnthropicChatModel, "bedrock") as model,
    ):
        for _ in range(2):
            await model.complete(QUESTION)
        clock.ahead = timedelta()
        answer = await model.complete(QUESTION)

    assert answer.message.content == "Fine."
    assert len(server.requests) == 5


@pytest.mark.slow
async def test_200_requests_with_a_wrong_clock_are_each_repeated_at_most_once() -> None:
    """Though one of them has corrected it by the time that another is refused."""
    clock = ClockOfAmazon(timedelta(hours=-8))
    async with (
        VendorServer(*[clock.answer] * 401) as server,
        asking_host(server, AnthropicChatModel, "bedrock") as model,
    ):
        async with asyncio.TaskGroup() as group:
            for _ in range(200):
                group.create_task(model.complete(QUESTION))
        repeated = len(server.requests)
        await model.complete(QUESTION)

    assert len(server.requests) == repeated + 1


async def test_a_clock_that_cannot_be_corrected_is_said_to_be_wrong() -> None:
    """An answer without a usable date, or one whose signature is wrong for another reason."""
    now = format_datetime(datetime.now(UTC), usegmt=True)
    for date in ("", "yesterday", "Mon, 01 Jan 0001 00:00:00 +1400", now):
        for kind in ("InvalidSignatureException", "RequestTimeTooSkewed", "RequestExpired"):
            reply = refusal_of_amazon(kind, date=date)

            error = await get_failure(reply, "bedrock", AnthropicChatModel)

            assert error.code is AgentErrorCode.AUTHENTICATION
            assert "set the clock of this machine" in str(error)


STARTS = [
    b'{"type":"message_start","message":{"usage":{"input_tokens":1}}}',
    b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
    b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It is"}}',
]


@pytest.mark.parametrize("place", [4, 8, 40, -1])
async def test_a_damaged_frame_in_the_middle_ends_the_run(place: int) -> None:
    """Lengths, checksums or data: what was said by then is kept, and nothing of the frame is."""
    damaged = bytearray(chunk(STARTS[2].replace(b"It is", b" warm")))
    damaged[place] ^= 1
    body = b"".join(map(chunk, STARTS))
    reply = Reply(
        body=body + bytes(damaged) + bytes(64), content_type=EVENTSTREAM, cuts=[len(body)]
    )
    command = AgentCommand(user_prompt="How is it?")
    async with (
        VendorServer(reply) as server,
        asking_host(server, AnthropicChatModel, "bedrock") as model,
    ):
        events = [each async for each in scripted_agent(model).stream_events(command)]

    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert finished.result.error_code is AgentErrorCode.INVALID_RESPONSE
    assert finished.result.partial_content == "It is"
    assert len(server.requests) == 1


REFUSED = Reply.json({"error": "invalid_grant"}, status=400)
HANGING = Reply.nothing(Ending.STALLED)
CHAINS = {
    "azure": ("AZURE_OPENAI_API_KEY", "IDENTITY_ENDPOINT"),
    "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
    "vertex": ("GOOGLE_APPLICATION_CREDENTIALS", ""),
}
"""What is taken away, and the variable with the address of the server that is asked instead."""


def point_to(server: VendorServer, host: str, patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Have a host get its credentials from a server alone."""
    key, variable = CHAINS[host]
    patch.delenv(key)
    if variable:
        patch.setenv(variable, f"{server.url}/token")
        patch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
        patch.setenv("IDENTITY_HEADER", "header")
    else:
        write_account(folder / "account.json", token_uri=f"{server.url}/token")
        patch.setenv(key, str(folder / "account.json"))


@pytest.mark.slow
@pytest.mark.parametrize("host", CHAINS)
@pytest.mark.parametrize(
    ("reply", "timeout_s", "code"),
    [(HANGING, 0.3, AgentErrorCode.UNAVAILABLE), (REFUSED, 60, AgentErrorCode.AUTHENTICATION)],
    ids=["hangs", "fails"],
)
async def test_a_chain_without_credentials_ends_the_run_in_time(
    host: str, reply: Reply, timeout_s: float, code: AgentErrorCode,
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """Nothing is sent to the host, and the log says what was looked for."""
    settings = AgentSettings.model_validate({"retry": {"max_attempts": 1}})
    async with VendorServer(*[reply] * 9) as source, VendorServer() as server:
        point_to(source, host, monkeypatch, tmp_path)
        opened = asking_host(server, AnthropicChatModel, host, credentials_timeout_s=timeout_s)
        async with opened as model:
            agent = scripted_agent(model, settings)
            result = await agent.execute(AgentCommand(user_prompt="How is it?"))
        async with asyncio.timeout(60):
            await source.wait_until(lambda: bool(source.requests))

    assert (result.error_code, server.requests) == (code, [])
    assert "looked for, in this order" in str([vars(record) for record in caplog.records])
