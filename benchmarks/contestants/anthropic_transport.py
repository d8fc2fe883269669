"""The floor: Anthropic's client as transport only, on aiohttp; bytes in, bytes out."""

from collections.abc import AsyncGenerator
from typing import Any

import anthropic
import httpx2
import jiter
from pydantic_core import to_json

from benchmarks.contestants import anthropic_sdk
from benchmarks.contestants.anthropic_sdk import exchange, results_of, whole

HEADERS = {"headers": {"content-type": "application/json"}}


class Contestant(anthropic_sdk.Contestant):
    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.client: Any = anthropic.AsyncAnthropic(
            base_url=url,
            http_client=anthropic.DefaultAioHttpClient(),
            open_telemetry=False,
            timeout=300,
        )

    async def post(self, body: dict[str, Any], *, stream: bool) -> httpx2.Response:
        """The response to a body."""
        response: httpx2.Response = await self.client.post(
            "/v1/messages",
            content=to_json({**body, "stream": stream}),
            cast_to=httpx2.Response,
            options=HEADERS,
            stream=stream,
            stream_cls=anthropic.AsyncStream[object],
        )
        return response

    async def ask(self, messages: list[dict[str, Any]], *, tools: bool) -> list[dict[str, Any]]:
        response = await self.post(self.options(messages, tools=tools), stream=False)
        blocks: list[dict[str, Any]] = jiter.from_json(response.content)["content"]
        return blocks

    async def stream(self, prompt: str, *, tools: bool) -> AsyncGenerator[str]:
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
        while True:
            blocks: list[dict[str, Any]] = []
            response = await self.post(self.options(messages, tools=tools), stream=True)
            rest = b""
            async for piece in response.aiter_bytes():
                *events, rest = (rest + piece).split(b"\n\n")
                for event in events:
                    payload = jiter.from_json(event[event.index(b"data: ") + 6 :])
                    if payload["type"] == "content_block_start":
                        blocks.append({**payload["content_block"], "pieces": []})
                    elif payload["type"] == "content_block_delta":
                        delta = payload["delta"]
                        if delta["type"] == "text_delta":
                            yield delta["text"]
                        else:
                            blocks[-1]["pieces"].append(delta["partial_json"])
            if not (results := await results_of(whole(blocks))):
                return
            messages += exchange(blocks, results)
