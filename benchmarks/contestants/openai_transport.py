"""The floor: OpenAI's client as transport only, on aiohttp; bytes in, bytes out."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import jiter
import openai
from pydantic_core import to_json

from benchmarks.contestants import openai_sdk
from benchmarks.contestants.openai_sdk import TOOLS, add, opening, result_of

HEADERS = {"headers": {"content-type": "application/json"}}


class Contestant(openai_sdk.Contestant):
    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.client: Any = openai.AsyncOpenAI(
            base_url=f"{url}/v1", http_client=openai.DefaultAioHttpClient(), timeout=300
        )

    async def post(self, *, stream: bool = False, **body: Any) -> httpx2.Response:
        """The response to a body."""
        response: httpx2.Response = await self.client.post(
            "/chat/completions",
            content=to_json({"model": "bench-1", "stream": stream, **body}),
            cast_to=httpx2.Response,
            options=HEADERS,
            stream=stream,
            stream_cls=openai.AsyncStream[object],
        )
        return response

    async def ask(self, messages: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
        response = await self.post(messages=messages, **options)
        message: dict[str, Any] = jiter.from_json(response.content)["choices"][0]["message"]
        return message

    async def stream(self, prompt: str, *, tools: bool) -> AsyncGenerator[str]:
        messages = opening(prompt)
        options = {"tools": TOOLS} if tools else {}
        while True:
            calls: dict[int, dict[str, Any]] = {}
            response = await self.post(stream=True, messages=messages, **options)
            rest = b""
            async for piece in response.aiter_bytes():
                *events, rest = (rest + piece).split(b"\n\n")
                for event in events:
                    if event == b"data: [DONE]":
                        continue
                    for choice in jiter.from_json(event[6:])["choices"]:
                        delta = choice["delta"]
                        if text := delta.get("content"):
                            yield text
                        for part in delta.get("tool_calls", ()):
                            add(calls, part)
            if not calls:
                return
            made = list(calls.values())
            messages.append({"role": "assistant", "content": None, "tool_calls": made})
            messages += await asyncio.gather(*map(result_of, made))
