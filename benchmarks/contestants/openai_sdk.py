"""A loop by hand on OpenAI's SDK, used as its documentation shows: the reference."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import openai

from benchmarks.contestants import SYSTEM, get_time, get_weather

FUNCTIONS = {"get_weather": get_weather, "get_time": get_time}
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "description": f.__doc__, "parameters": PARAMETERS},
    }
    for name, f in FUNCTIONS.items()
]


async def result_of(call: dict[str, Any]) -> dict[str, Any]:
    """The message with a call's result."""
    function = call["function"]
    content = await FUNCTIONS[function["name"]](**json.loads(function["arguments"]))
    return {"role": "tool", "tool_call_id": call["id"], "content": content}


def opening(prompt: str) -> list[dict[str, Any]]:
    """The first messages of a run."""
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]


class Contestant:
    def __init__(self, url: str) -> None:
        self.client: Any = openai.AsyncOpenAI(base_url=f"{url}/v1", timeout=300)
        self.histories: dict[str, list[dict[str, Any]]] = {}

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        await self.client.close()

    async def ask(self, messages: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
        """The answer, as it goes into the history."""
        response = await self.client.chat.completions.create(
            model="bench-1", messages=messages, **options
        )
        message = response.choices[0].message
        calls = [call.model_dump() for call in message.tool_calls or ()]
        answer = {"role": "assistant", "content": message.content}
        return {**answer, "tool_calls": calls} if calls else answer

    async def run(self, prompt: str) -> str:
        messages = opening(prompt)
        while calls := (answer := await self.ask(messages, tools=TOOLS)).get("tool_calls"):
            messages += [answer, *await asyncio.gather(*map(result_of, calls))]
        return str(answer["content"])

    async def turn(self, prompt: str, *, session: str) -> str:
        opened = {"role": "system", "content": SYSTEM}
        history = self.histories.setdefault(session, [opened])
        history.append({"role": "user", "content": prompt})
        answer = await self.ask(history)
        history.append(answer)
        return str(answer["content"])

    async def stream(self, prompt: str, *, tools: bool) -> AsyncGenerator[str]:
        messages = opening(prompt)
        options = {"tools": TOOLS} if tools else {}
        while True:
            calls: dict[int, dict[str, Any]] = {}
            async for delta in self.deltas(messages, **options):
                if delta.content:
                    yield delta.content
                for piece in delta.tool_calls or ():
                    add(calls, piece.model_dump())
            if not calls:
                return
            made = list(calls.values())
            messages.append({"role": "assistant", "content": None, "tool_calls": made})
            messages += await asyncio.gather(*map(result_of, made))

    async def deltas(self, messages: list[dict[str, Any]], **options: Any) -> AsyncIterator[Any]:
        """The deltas of a streamed answer."""
        stream = await self.client.chat.completions.create(
            model="bench-1",
            messages=messages,
            stream=True,
            stream_options={"include_usage": True},
            **options,
        )
        async for chunk in stream:
            for choice in chunk.choices:
                yield choice.delta


def add(calls: dict[int, dict[str, Any]], piece: dict[str, Any]) -> None:
    """Put a piece of a call into its place."""
    function = piece["function"]
    call = calls.setdefault(
        piece["index"],
        {
            "id": piece.get("id"),
            "type": "function",
            "function": {"name": function.get("name"), "arguments": ""},
        },
    )
    call["function"]["arguments"] += function.get("arguments") or ""
