"""An application whose guard, hook, model and tools write down that they were asked.

What they do is appended to a file, a line each, so that it can be counted over all processes;
`benchmarks.durable.deeds` reads it.
"""

import asyncio
import json
import os
import random
import signal
import time
from collections.abc import AsyncGenerator, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    AgentResult,
    Allowed,
    AssistantMessage,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FunctionTool,
    Guard,
    GuardRequest,
    GuardResult,
    Hook,
    HookContext,
    TokenUsage,
    ToolCall,
    ToolCallContext,
    ToolCallDelta,
    ToolContext,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    tool,
)

__all__ = ["POINTS", "WRONG", "World", "application", "parts_of", "submit_runs"]

POINTS = ("guard", "start", "model1", "find", "look", "pay", "model2", "end")
"""Where a process can be killed, in the order in which a run comes by; tools run at once."""

WRONG = "WRONG"
"""What the answer says of a call that was given another one's result."""


class World:
    """What is written down, and where the process kills itself.

    Args:
        log: The file.
        kill_at: The point, once; None nowhere.
        jitter_s: How long each step may take, at random.
        size: How long what tools give is, in characters.
        pieces: How many words the answer has besides, a few milliseconds apart.
        copies: How many calls of one more tool each turn has besides, all at once.
    """

    def __init__(
        self,
        log: Path,
        *,
        kill_at: str | None = None,
        jitter_s: float = 0.0,
        size: int = 10,
        pieces: int = 0,
        copies: int = 0,
    ) -> None:
        self._log, self._kill_at, self._jitter_s = log, kill_at, jitter_s
        self.size, self.pieces, self.copies = size, pieces, copies

    async def note(self, run_id: str, point: str) -> None:
        """Write down that something begins; die here if that is wanted, and was not before."""
        with self._log.open("a") as file:
            file.write(f"{run_id} {point} {time.time():.6f} {os.getpid()}\n")
        if self._kill_at == point and not self._died.exists():
            self._died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if self._jitter_s:
            await asyncio.sleep(random.random() * self._jitter_s)

    @property
    def _died(self) -> Path:
        return self._log.with_suffix(".died")


class _Guard(Guard):
    order = 1

    def __init__(self, world: World) -> None:
        self._world = world

    async def check(self, request: GuardRequest) -> GuardResult:
        await self._world.note(_find_run(request.text), "guard")
        return Allowed()


class _Hook(Hook):
    def __init__(self, world: World) -> None:
        self._world = world

    async def before_agent_start(self, context: HookContext) -> None:
        await self._world.note(context.run_id, "start")

    async def before_tool_call(self, context: ToolCallContext) -> None:
        await self._world.note(context.agent_context.run_id, f"hook-{context.call_id}")

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        await self._world.note(context.run_id, "end")


class _Model(ChatModel):
    """Calls three tools at once, as many turns as the prompt says, and then sums up."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def complete(self, request: ChatRequest) -> ChatResponse:
        run_id = _find_run(str(request.messages[0]))
        turn = sum(isinstance(each, AssistantMessage) for each in request.messages) + 1
        await self._world.note(run_id, f"model{turn}")
        if turn > _turns_of(str(request.messages[0])):
            told = _check_results(run_id, request.messages[-1])
            told += [f"w{number}" for number in range(self._world.pieces)]
            return _response(AssistantMessage(f"{run_id}: {' '.join(told)}"))
        copies = [("copy", f"copy{number}") for number in range(self._world.copies)]
        named = [(name, name) for name in ("find", "look", "pay")]
        calls = (
            ToolCall(item, name, json.dumps({"item": item})) for name, item in (*named, *copies)
        )
        return _response(AssistantMessage("", tool_calls=tuple(calls)))

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        response = await self.complete(request)
        for word in response.message.content.split(" "):
            if word:
                yield ChatDelta(text=f"{word} ")
                await asyncio.sleep(0.004 if self._world.pieces else 0)
        calls = enumerate(response.message.tool_calls)
        yield ChatDelta(
            tool_calls=tuple(
                ToolCallDelta(i, each.id, each.name, each.arguments) for i, each in calls
            ),
            usage=response.usage,
            finish_reason=response.finish_reason,
        )


def _check_results(run_id: str, message: object) -> list[str]:
    """The calls that were given their own results; those that were interrupted are left out."""
    assert isinstance(message, ToolResultMessage)
    return [
        each.call_id if _says_its_own(run_id, each) else f"{WRONG}:{each.call_id}"
        for each in message.results
        if each.outcome is not ToolOutcome.INTERRUPTED
    ]


def _says_its_own(run_id: str, result: ToolResult) -> bool:
    return result.text.startswith(f"{result.name} says {result.call_id} of {run_id} ")


def _response(message: AssistantMessage) -> ChatResponse:
    return ChatResponse(message, TokenUsage(10, 5))


def _tools(world: World, *, waits: bool) -> list[FunctionTool]:
    def make(name: str, **options: Any) -> FunctionTool:
        @tool(name=name, **options)
        async def work(item: str, context: ToolContext) -> str:
            """Work."""
            await world.note(context.run_id, item)
            return f"{name} says {item} of {context.run_id} " + _words(world.size)

        return work

    paying = make("pay", once=not waits, needs_approval=waits)
    return [make("find"), make("look"), paying, make("copy")]


def _words(size: int) -> str:
    """So many characters that compress about as well as English does."""
    return " ".join(random.choices(_vocabulary(), k=size // 3))[:size]


@cache
def _vocabulary() -> list[str]:
    """Made once: it takes longer than a step does."""
    return ["".join(random.choices("etaoinshrdlu", k=random.randint(2, 9))) for _ in range(2000)]


def _find_run(text: str) -> str:
    return text.partition("run=")[2].split()[0].rstrip("')\",")


def _turns_of(text: str) -> int:
    return int(text.partition("turns=")[2].split()[0].rstrip("')\","))


def parts_of(world: World, *, waits: bool = False) -> list[Any]:
    """A guard, a hook, a model and tools."""
    return [_Guard(world), _Hook(world), _Model(world), *_tools(world, waits=waits)]


def application(
    url: str, world: World, *, work: bool = True, waits: bool = False, **durable: Any
) -> Application:
    """An application on a database.

    Args:
        url: Of the database.
        world: Where all is written down.
        work: Whether it takes submitted runs.
        waits: Whether the tool that pays waits for a person.
        durable: Further settings of the section.
    """
    settings = ArcSettings(
        _isolated=True,
        durable={"enabled": True, "url": url, "work": work, **durable},
        max_tool_calls=1000,
        llm={"max_context_window_tokens": 10_000_000},
        concurrency={"max_concurrent_requests": 1000, "request_timeout_s": 0},
        guard={"enabled": True, "rate_limit_per_minute": 0, "rate_limit_per_hour": 0},
        logging={"level": "ERROR"},
    )
    return Application(settings, register=parts_of(world, waits=waits), plugins=False)


async def submit_runs(app: Application, run_ids: Iterable[str]) -> None:
    """Submit runs of one turn with tools each."""
    for run_id in run_ids:
        await app.submit(f"run={run_id} turns=1", run_id=run_id)
