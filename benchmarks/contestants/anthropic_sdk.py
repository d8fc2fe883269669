"""A loop by hand on Anthropic's SDK, used as its documentation shows: the reference."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import anthropic

from benchmarks.contestants import SYSTEM, get_time, get_weather

FUNCTIONS = {"get_weather": get_weather, "get_time": get_time}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"name": name, "description": function.__doc__, "input_schema": SCHEMA}
    for name, function in FUNCTIONS.items()
]


async def results_of(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks that answer the calls among these."""
    return [
        {
            "type": "tool_result",
            "tool_use_id": block["id"],
            "content": await FUNCTIONS[block["name"]](**block["input"]),
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]


class Contestant:
    def __init__(self, url: str) -> None:
        self.client: Any = anthropic.AsyncAnthropic(base_url=url, timeout=300)
        self.histories: dict[str, list[dict[str, Any]]] = {}

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        await self.client.close()

    def options(self, messages: list[dict[str, Any]], *, tools: bool) -> dict[str, Any]:
        """The parameters of a request."""
        offered = {"tools": TOOLS} if tools else {}
        return {
            "model": "bench-1",
            "max_tokens": 1000,
            "system": SYSTEM,
            "messages": messages,
            **offered,
        }

    async def ask(self, messages: list[dict[str, Any]], *, tools: bool) -> list[dict[str, Any]]:
        """The blocks of the answer."""
        message = await self.client.messages.create(**self.options(messages, tools=tools))
        return [block.model_dump(exclude_none=True) for block in message.content]

    async def run(self, prompt: str) -> str:
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
        while results := await results_of(blocks := await self.ask(messages, tools=True)):
            messages += exchange(blocks, results)
        return str(blocks[0]["text"])

    async def turn(self, prompt: str, *, session: str) -> str:
        history = self.histories.setdefault(session, [])
        history.append({"role": "user", "content": prompt})
        blocks = await self.ask(history, tools=False)
        history.append({"role": "assistant", "content": blocks})
        return str(blocks[0]["text"])

    async def stream(self, prompt: str, *, tools: bool) -> AsyncGenerator[str]:
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
        while True:
            blocks: list[dict[str, Any]] = []
            options = self.options(messages, tools=tools)
            async for event in await self.client.messages.create(stream=True, **options):
                if event.type == "content_block_start":
                    blocks.append({**event.content_block.model_dump(), "pieces": []})
                elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                    yield event.delta.text
                elif event.type == "content_block_delta":
                    blocks[-1]["pieces"].append(event.delta.partial_json)
            if not (results := await results_of(whole(blocks))):
                return
            messages += exchange(blocks, results)


def whole(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Blocks with their input put together."""
    for block in blocks:
        if pieces := block.pop("pieces"):
            block["input"] = json.loads("".join(pieces))
    return blocks


def exchange(blocks: list[dict[str, Any]], results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The two messages of a tool turn."""
    return [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
