"""Answers of vendors and hosts, whole and streamed, as they reach a run."""

import json
import os
import sys
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import httpx2
from anthropic import AsyncAnthropic

from arc_core import AgentCommand, AgentEvent, AgentResult, ResponseFormat, RunFinished, tool
from arc_core.forms import from_json, to_json
from arc_core.settings import AgentSettings, CircuitSettings, LlmSettings, RetrySettings
from arc_core.testing import scripted_agent
from arc_core.wire.http_chat_model import ClientOptions, Connection, PlainClient
from arc_plugins.hosts.bedrock.host import BedrockHost
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from benchmarks import fake_vendor
from benchmarks.fuzzing.target import SECRET, FaultError, Target, check_text
from tests.wire.hosts import EVENTSTREAM, frames_of

_MODELS: dict[str, Any] = {
    "chat": (OpenAIChatModel, fake_vendor.chat_body),
    "gemini": (GeminiChatModel, fake_vendor.content_body),
    "messages": (AnthropicChatModel, fake_vendor.message_body),
    "responses": (OpenAIResponsesChatModel, fake_vendor.response_json),
}
_EVENTS = "text/event-stream"
_RENEWED = 0.001
_FORMATS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"response_format": ResponseFormat.JSON},
    {"response_format": ResponseFormat.JSON, "response_schema": list[int]},
)


@tool
async def get_weather(city: str, days: int = 1) -> str:
    """Get the weather of a city."""
    return f"{city}: 21 °C for {days} days"


def _read_samples() -> list[tuple[str, bytes]]:
    """The recorded bodies, by API and form: `chat stream`, `messages frames`, `gemini whole`."""
    folder = os.environ.get("ARC_RECORDED_STREAMS")
    if folder is None:
        sys.exit("streams needs recorded ones; set ARC_RECORDED_STREAMS to their folder")
    root = Path(folder)
    samples = []
    for index in root.rglob("index.json"):
        for entry in json.loads(index.read_text("utf-8")):
            file = root / entry["file"]
            api = entry.get("api", file.name.partition("_")[0])
            api = {"anthropic": "messages", "openai": "chat"}.get(api, api)
            status = entry.get("status", 200)
            form = {".sse": "stream", ".eventstream": "damaged"}.get(file.suffix, "whole")
            data = file.read_bytes()
            if index.parent.name == "errors":
                data = json.loads(data)["body"].encode()
            if api in _MODELS:
                samples.append((f"{api} {form if status == 200 else status}", data))
    streams = [data for kind, data in samples if kind == "messages stream"]
    samples += [("messages frames", data) for data in streams]
    return samples


class _Fed:
    """A chat model whose server answers with what it is fed.

    Attributes:
        replies: What comes next; after that the model says a sentence.
    """

    def __init__(self, api: str, *, is_hosted: bool) -> None:
        self.replies: deque[tuple[int, str, list[bytes]]] = deque()
        model_type, write_body = _MODELS[api]
        self._events = fake_vendor.STREAMS[api](["Done", "."], ())
        self._body = [write_body(["Done", "."], ())]
        http = httpx2.AsyncClient(
            base_url="http://vendor.example", transport=httpx2.MockTransport(self._answer)
        )

        def connect(_: Any, options: ClientOptions) -> Connection:
            client: Any = PlainClient(http)  # type: ignore[arg-type]  # not a guarded one
            if api == "messages":
                client = AsyncAnthropic(api_key=SECRET, max_retries=0, http_client=http)
            return Connection(client=client, secret=SECRET, is_authorized=True)

        hosted: dict[str, Any] = {"host": "bedrock", "region": "us-east-1"} if is_hosted else {}
        self.model = type("Fed", (model_type,), {"connect": connect})(
            settings=LlmSettings(model="m-1", api_key=SECRET, **hosted), hosts=(BedrockHost(),)
        )

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        if self.replies:
            status, content_type, pieces = self.replies.popleft()
        elif b'"stream":true' in request.content or "stream" in request.url.path:
            status, content_type, pieces = 200, _EVENTS, self._events
        else:
            status, content_type, pieces = 200, "application/json", self._body

        async def body() -> AsyncGenerator[bytes]:
            for piece in pieces:
                yield piece

        headers = {"content-type": content_type, "retry-after": "0"}
        return httpx2.Response(status, headers=headers, content=body())


@asynccontextmanager
async def open_target() -> AsyncIterator[Target]:
    """Runs with a tool and, every other time, a structured answer."""
    os.environ["AWS_BEARER_TOKEN_BEDROCK"] = SECRET
    random, made = Random(1), {}

    async def attempt(kind: str, data: bytes) -> bool:
        api, form = kind.split()
        is_framed = form in {"frames", "damaged"}
        key = (api, is_framed)
        if random.random() < _RENEWED:
            made.clear()  # the fakes around the engine keep all that they are told
        if key not in made:
            fed = _Fed(api, is_hosted=is_framed)
            settings = AgentSettings(
                retry=RetrySettings(max_attempts=1), circuit=CircuitSettings(failure_threshold=0)
            )
            made[key] = fed, scripted_agent(fed.model, settings, tools=[get_weather])
        fed, agent = made[key]
        fed.replies = deque([_make_reply(form, data, random)])
        command = AgentCommand(user_prompt="How is the weather?", **random.choice(_FORMATS))
        if form == "whole" or form.isdigit():
            result = await agent.execute(command)
        else:
            result = await _read_to_end(agent.stream_documents(command))
        if _check(result) and random.random() < 0.3:
            fed.replies.clear()
            again = {"conversation_history": result.messages, "user_prompt": "And tomorrow?"}
            asked = agent.stream_events(AgentCommand(**again))
            if not (await _read_to_end(asked)).success:
                raise FaultError("an answer that was taken cannot be sent back")
        return result.success

    yield Target(samples=_read_samples(), attempt=attempt)


def _make_reply(form: str, data: bytes, random: Random) -> tuple[int, str, list[bytes]]:
    """The status, the content type and the pieces of a reply."""
    is_framed = form in {"frames", "damaged"}
    kind = EVENTSTREAM if is_framed else _EVENTS if form == "stream" else "application/json"
    body = frames_of(data).body if form == "frames" else data
    cuts = sorted(random.randrange(len(body) + 1) for _ in range(random.choice((0, 1, 5))))
    pieces = [body[start:end] for start, end in pairwise((0, *cuts, len(body)))]
    return int(form) if form.isdigit() else 200, kind, pieces


async def _read_to_end(events: AsyncIterator[AgentEvent]) -> AgentResult:
    """The result of a run whose events are read."""
    async for event in events:
        if isinstance(event, RunFinished):
            return event.result
    raise FaultError("the events of a run ended without its end")


def _check(result: AgentResult) -> bool:
    if not result.success:
        check_text(result.error_message or "")
    if from_json(to_json(result), AgentResult).content != result.content:
        raise FaultError("the form of the result is not that of the result")
    return result.success
