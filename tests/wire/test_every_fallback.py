"""One conversation through all vendors and hosts, each of which is the fallback of each other."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentCommand, AgentResult, RunFinished
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.attached_files import IMAGE
from tests.wire.agents import get_weather
from tests.wire.hosts import AWS_SECRET, AZURE_KEY, give_credentials, google_token
from tests.wire.test_attachments import encoded
from tests.wire.vendors import (
    FakeAnthropic,
    FakeGemini,
    FakeOpenAI,
    FakeVendor,
    has_header,
    is_signed_by_botocore,
    signers_in,
)

ENTRA_TOKEN = "token-of-entra"
GOOGLE_TOKEN = "ya29.token"
IDENTITY_SECRET = "secret-of-the-identity"
SECRETS = {
    "openai": "key-of-openai",
    "azure": AZURE_KEY,
    "entra": ENTRA_TOKEN,
    "anthropic": "key-of-anthropic",
    "gemini": "key-of-gemini",
    "bedrock": AWS_SECRET,
    "vertex": GOOGLE_TOKEN,
    "identity": IDENTITY_SECRET,
}
OWN_SECRETS = {
    "azure": {"azure", "entra"},
    "vertex_claude": {"vertex"},
    "vertex_gemini": {"vertex"},
}
PLACE = "/v1/projects/p/locations/us-east5/publishers"


def make_vendors(*, entra: bool) -> list[FakeVendor]:
    """All of them; Azure with a key or with tokens."""
    token = has_header("authorization", f"Bearer {ENTRA_TOKEN}")
    return [
        FakeOpenAI(
            "openai",
            family="openai",
            settings={},
            is_authorized=has_header("authorization", "Bearer key-of-openai"),
        ),
        FakeOpenAI(
            "azure",
            family="openai",
            settings={"host": "azure"},
            prefix="/openai/v1",
            is_authorized=token if entra else has_header("api-key", AZURE_KEY),
        ),
        FakeAnthropic(
            "anthropic",
            paths=("/v1/messages", "/v1/messages"),
            settings={"provider": "anthropic"},
            is_authorized=has_header("authorization", "Bearer key-of-anthropic"),
        ),
        FakeGemini(
            "gemini",
            family="gemini",
            settings={"provider": "gemini"},
            prefix="/v1beta",
            is_authorized=has_header("x-goog-api-key", "key-of-gemini"),
        ),
        *make_clouds(),
    ]


def make_clouds() -> list[FakeVendor]:
    """Anthropic's models at both clouds, and Google's at its own."""
    vertex = {"host": "vertex", "project": "p", "region": "us-east5"}
    has_token = has_header("authorization", f"Bearer {GOOGLE_TOKEN}")
    return [
        FakeAnthropic(
            "bedrock",
            paths=("/model/m/invoke", "/model/m/invoke-with-response-stream"),
            is_framed=True,
            settings={"provider": "anthropic", "host": "bedrock", "region": "us-east-1"},
            is_authorized=is_signed_by_botocore,
        ),
        FakeAnthropic(
            "vertex_claude",
            paths=("/models/m:rawPredict", "/models/m:streamRawPredict"),
            settings={"provider": "anthropic", **vertex},
            prefix=f"{PLACE}/anthropic",
            is_authorized=has_token,
        ),
        FakeGemini(
            "vertex_gemini",
            family="gemini",
            settings={"provider": "gemini", **vertex},
            prefix=f"{PLACE}/google",
            is_authorized=has_token,
        ),
    ]


@pytest.fixture(autouse=True)
async def _credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[None]:
    """Those of all vendors at once, and loopback as their own address."""
    for vendor in ("openai", "anthropic", "gemini"):
        monkeypatch.setenv(f"{vendor.upper()}_API_KEY", SECRETS[vendor])
    for model_type in (OpenAIResponsesChatModel, AnthropicChatModel, GeminiChatModel):
        here = replace(model_type.vendor, host="127.0.0.1")
        monkeypatch.setattr(model_type, "vendor", here)
    entra = Reply.json(
        {"access_token": ENTRA_TOKEN, "expires_on": "4102444800", "token_type": "Bearer"}
    )
    async with VendorServer(google_token()) as google, VendorServer(entra) as identity:
        give_credentials(monkeypatch, tmp_path, tokens=google)
        monkeypatch.setenv("IDENTITY_ENDPOINT", f"{identity.url}/token")
        monkeypatch.setenv("IDENTITY_HEADER", IDENTITY_SECRET)
        yield


def name_pair(first: FakeVendor, second: FakeVendor) -> str:
    """The name of a model that falls back on another."""
    return f"{first.name}-{second.name}"


@asynccontextmanager
async def application(vendors: Sequence[FakeVendor]) -> AsyncIterator[Application]:
    """An application with a model for each vendor, and one for each that falls back on another."""
    async with AsyncExitStack() as stack:
        models: dict[str, dict[str, Any]] = {}
        for each in vendors:
            await stack.enter_async_context(each.server)
            models[f"at_{each.name}"] = {"model": "m", "base_url": each.server.url, **each.settings}
        for first, second in permutations(vendors, 2):
            asked, fallback = models[f"at_{first.name}"], f"at_{second.name}"
            models[name_pair(first, second)] = {**asked, "fallbacks": [fallback]}
        settings = ArcSettings(
            llm={"provider": "openai", "api": "responses", "reasoning": "low", "models": models},
            conversation={"keep_tool_calls": True, "max_turns": 100},
            retry={"max_attempts": 1},
            circuit={"failure_threshold": 0},
        )
        yield await stack.enter_async_context(
            Application(settings, register=[get_weather], plugins=False)
        )


async def run(app: Application, command: AgentCommand, *, streaming: bool) -> AgentResult:
    """The result of a run."""
    if not streaming:
        return await app.execute(command)
    events = [event async for event in app.stream_events(command)]
    return next(event.result for event in events if isinstance(event, RunFinished))


async def hand_over(
    app: Application, first: FakeVendor, second: FakeVendor, *, streaming: bool
) -> AgentResult:
    """A run in which a vendor calls a tool and is down then, so that another one answers."""
    pair, write = name_pair(first, second), {"streaming": streaming}
    first.server.add(first.reply(first.call(f"city_of_{pair}", **write), **write))
    first.server.add(first.reply(first.fail(), **write))
    second.server.add(second.reply(second.say(f"Sunny, {pair}.", **write), **write))
    command = AgentCommand(
        user_prompt="How is it there?",
        attachments=(IMAGE,),
        model=pair,
        session_id="s",
        user_id="ann",
    )
    return await run(app, command, streaming=streaming)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("streaming", "entra"), [(False, False), (True, True)], ids=["complete", "stream"]
)
async def test_each_vendor_hands_a_conversation_over_to_each(
    monkeypatch: pytest.MonkeyPatch, *, streaming: bool, entra: bool
) -> None:
    """In the middle of a run, with tools, images and reasoning of all of them in the session."""
    if entra:
        monkeypatch.delenv("AZURE_OPENAI_API_KEY")
    vendors = make_vendors(entra=entra)
    pairs = list(permutations(vendors, 2))
    async with application(vendors) as app:
        handing_over = partial(hand_over, app, streaming=streaming)
        results = [await handing_over(first, second) for first, second in pairs]

    assert [problem for each in vendors for problem in each.problems] == []
    assert [(each.model, each.content) for each in results] == [
        (f"at_{second.name}", f"Sunny, {name_pair(first, second)}.") for first, second in pairs
    ]
    check_signatures(vendors)
    check_secrets(vendors)
    sent = [request.body.decode() for each in vendors for request in each.server.requests]
    assert all(encoded(IMAGE) in each for each in sent)


def check_signatures(vendors: Sequence[FakeVendor]) -> None:
    """Each vendor gets its own, those of its kin until it has refused them, and no others."""
    by_family: dict[str, set[str]] = {}
    for each in vendors:
        by_family.setdefault(each.family, set()).add(each.name)
    for each in vendors:
        requests = each.server.requests
        kin = by_family[each.family]
        assert all(signers_in(request) <= kin for request in requests)
        assert signers_in(requests[-1]) == ({each.name} if each.family == "openai" else kin)


def check_secrets(vendors: Sequence[FakeVendor]) -> None:
    """No vendor gets what authenticates at another, and Amazon not even its own secret."""
    for each in vendors:
        own = OWN_SECRETS.get(each.name, {each.name}) - {"bedrock"}
        foreign = [secret for name, secret in SECRETS.items() if name not in own]
        for request in each.server.requests:
            sent = f"{request.path}\n{request.headers}\n{request.body.decode()}"
            assert [secret for secret in foreign if secret in sent] == []
