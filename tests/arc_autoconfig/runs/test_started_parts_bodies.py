"""Runs that journals keep, through executors that wrap the engine or stand in its place."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.served_application import ServedArc
from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentEvent,
    AgentExecutor,
    AgentResult,
    Approve,
    RunFinished,
    TextDelta,
    TokenUsage,
    ToolCall,
    decorates,
    tool,
)
from arc_core.runs.callers import Caller
from arc_core.testing import ScriptedChatModel
from arc_core.testing.run_journals import DictRunJournals
from tests.serving import client_of, serving_app

CALLER = Caller(name="ann", decide="own")
USED = TokenUsage(20, 10)
COMMAND = AgentCommand(user_prompt="Pay.")


@tool(needs_approval=True)
async def pay() -> str:
    """Pay."""
    return "paid"


class Billing(AgentExecutor):
    """Refuses what mentions gold, writes in capitals, and bills each run that it lets through."""

    bills: list[tuple[str, bool]]

    def __init__(self, inner: AgentExecutor) -> None:
        self._inner = inner

    async def execute(self, command: AgentCommand, *, deps: Any = None) -> AgentResult:
        async with aclosing(self.stream_events(command, deps=deps)) as events:
            found = [event.result async for event in events if isinstance(event, RunFinished)]
        return found[-1]

    async def execute_stream(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[str]:
        async with aclosing(self.stream_events(command, deps=deps)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    yield event.text

    async def stream_events(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        if "gold" in command.user_prompt:
            code = AgentErrorCode.HOOK_REJECTED
            yield RunFinished(AgentResult(success=False, error_code=code, error_message="No gold."))
            return
        yield TextDelta("BILLED: ")
        async with aclosing(self._inner.stream_events(command, deps=deps)) as events:
            async for event in events:
                match event:
                    case TextDelta(text=text):
                        yield replace(event, text=text.upper())
                    case RunFinished(result=result):
                        self.bills.append((command.user_prompt, bool(result.waiting)))
                        content = None if result.content is None else result.content.upper()
                        yield replace(event, result=replace(result, content=content))
                    case _:
                        yield event


class Parrot(AgentExecutor):
    """Stands in the place of the engine, and says what it is told."""

    async def execute(self, command: AgentCommand, *, deps: Any = None) -> AgentResult:
        return AgentResult(success=True, content=command.user_prompt, run_id="parrot")

    async def execute_stream(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[str]:
        yield command.user_prompt

    async def stream_events(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        yield TextDelta(command.user_prompt, run_id="parrot", seq=1)
        yield RunFinished(await self.execute(command), run_id="parrot", seq=2)


def wrapped(*turns: Any, **settings: Any) -> tuple[Application, list[tuple[str, bool]]]:
    """An application whose engine is wrapped, and what it has billed."""
    bills: list[tuple[str, bool]] = []
    billing = type("Billed", (Billing,), {"bills": bills})
    known = [ScriptedChatModel(turns), pay, decorates(AgentExecutor)(billing)]
    settings_ = ArcSettings(_isolated=True, **settings)
    return Application(settings_, register=known, plugins=False), bills


async def end_of(app: Application, way: str, command: AgentCommand) -> tuple[str, AgentResult]:
    """The text that a reader gets of a run, and its result."""
    runs = ServedArc(app, has_keys=False).runs
    if way == "execute":
        return "", await app.execute(command)
    if way == "begin":
        async with runs.for_caller(CALLER).begin(command) as run:
            events = [event async for event in run.events()]
        run_id = run.id
    else:
        run_id = await runs.for_caller(CALLER).submit(command)
        async with runs.for_caller(CALLER).get(run_id) as attached:
            events = [event async for event in attached.events()]
    *told, end = events
    assert [event.seq for event in told] == list(range(1, len(events)))
    assert {event.run_id for event in events} == {run_id}
    text = "".join(event.text for event in told if isinstance(event, TextDelta))
    assert isinstance(end, RunFinished)
    assert end.result.run_id == run_id
    return text, end.result


def journals_in(kind: str, folder: Path) -> dict[str, Any]:
    """The settings of journals in memory, or in a database."""
    if kind == "memory":
        return {}
    return {"durable": {"enabled": True, "url": f"sqlite:///{folder / 'runs.db'}"}}


@pytest.mark.parametrize("kind", ["memory", "database"])
async def test_what_wraps_the_engine_checks_and_bills_each_run_once(
    kind: str, tmp_path: Path
) -> None:
    """One that is asked for, one that is served, and one that is submitted."""
    app, bills = wrapped("Done.", "Done.", "Done.", **journals_in(kind, tmp_path))

    async with app:
        for way in ("execute", "begin", "submit"):
            text, result = await end_of(app, way, AgentCommand(user_prompt=way))
            _, refused = await end_of(app, way, AgentCommand(user_prompt=f"gold by {way}"))

            assert result.content == "DONE."
            assert text in {"", "BILLED: DONE."}
            assert refused.error_code is AgentErrorCode.HOOK_REJECTED

    assert bills == [(way, False) for way in ("execute", "begin", "submit")]


@pytest.mark.parametrize("kind", ["memory", "database"])
async def test_a_run_that_waits_passes_what_wraps_the_engine_again(
    kind: str, tmp_path: Path
) -> None:
    """It sees that the run waits, and its end after the decision, also of one that it executed."""
    turns = [[ToolCall("1", "pay", "{}")], "Paid."] * 2
    app, bills = wrapped(*turns, **journals_in(kind, tmp_path))

    async with app:
        for way in ("execute", "submit"):
            result = (await end_of(app, way, COMMAND))[1]
            [request] = result.waiting
            await app.decide(result.run_id, request.key, Approve(), by="bob")
            async with app.attach(result.run_id) as run:
                assert (await run.result()).content == "PAID."

    assert bills == [("Pay.", True), ("Pay.", False)] * 2


@pytest.mark.parametrize("asks_first", [False, True])
async def test_a_run_that_a_worker_takes_is_billed_where_it_was_executed(
    tmp_path: Path, *, asks_first: bool
) -> None:
    """Not in the worker, too, until a person has decided: then the caller has gone."""
    turns = [[ToolCall("1", "pay", "{}")], "Paid."] if asks_first else ["Paid."]
    worker, by_worker = wrapped(*turns, **journals_in("database", tmp_path))
    front, by_front = wrapped(**journals_in("database", tmp_path))
    front.container.run_journals().work_on(())

    async with worker, front:
        result = await front.execute(COMMAND)
        for request in result.waiting:
            await front.decide(result.run_id, request.key, Approve(), by="bob")
        async with front.attach(result.run_id) as run:
            content = (await run.result()).content

    assert (content or "").upper() == "PAID."
    assert by_front == [("Pay.", asks_first)]
    assert by_worker == [("Pay.", False)] * asks_first


@pytest.mark.parametrize("kind", ["memory", "database"])
async def test_a_cancelled_run_that_is_billed_has_its_tokens(kind: str, tmp_path: Path) -> None:
    """The result, and the end that readers get, say what the model has used."""
    reached = asyncio.Event()

    @tool
    async def stall() -> str:
        """Take long."""
        reached.set()
        await asyncio.Event().wait()
        return ""

    billing = type("Billed", (Billing,), {"bills": []})
    model = ScriptedChatModel([[ToolCall("1", "stall", "{}")]], usage=USED)
    known = [model, stall, decorates(AgentExecutor)(billing)]
    settings = ArcSettings(_isolated=True, **journals_in(kind, tmp_path))

    async with Application(settings, register=known, plugins=False) as app:
        run_id = await app.submit(COMMAND)
        await reached.wait()
        async with app.attach(run_id) as run:
            await app.cancel(run_id)
            results = [await run.result(), await app.result(run_id)]

    for result in results:
        assert isinstance(result, AgentResult)
        assert (result.error_code, result.token_usage) == (AgentErrorCode.CANCELLED, USED)


@pytest.mark.parametrize("kind", ["memory", "database"])
async def test_an_executor_in_the_place_of_the_engine_is_served(kind: str, tmp_path: Path) -> None:
    """Its events get the id of the run, and numbers."""
    settings = ArcSettings(_isolated=True, **journals_in(kind, tmp_path))

    async with Application(settings, register=[Parrot()], plugins=False) as app:
        for way in ("begin", "submit"):
            text, result = await end_of(app, way, AgentCommand(user_prompt=way))

            assert (text, result.content) == (way, way)


SURFACES: dict[str, tuple[str, dict[str, Any]]] = {
    "api/runs": ("/api/runs", {"user_prompt": "Hi"}),
    "api/chat": ("/api/chat", {"message": "Hi"}),
    "api/chat/stream": ("/api/chat/stream", {"message": "Hi"}),
    "chat completions": (
        "/v1/chat/completions",
        {"model": "default", "messages": [{"role": "user", "content": "Hi"}]},
    ),
    "responses": ("/v1/responses", {"model": "default", "input": "Hi"}),
    "ag-ui": (
        "/ag-ui",
        {
            "threadId": "t",
            "runId": "r",
            "state": {},
            "messages": [{"id": "1", "role": "user", "content": "Hi"}],
            "tools": [],
            "context": [],
            "forwardedProps": {},
        },
    ),
    "ai-sdk": (
        "/ai-sdk",
        {
            "id": "c",
            "messages": [{"id": "m", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}],
            "trigger": "submit-message",
        },
    ),
    "a2a": (
        "/a2a",
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "SendMessage",
            "params": {
                "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hi"}]}
            },
        },
    ),
}


async def test_every_surface_asks_the_executor_that_is_wired() -> None:
    """One that wraps the engine, and one in its place."""
    app, bills = wrapped(*["Done."] * (len(SURFACES) + 1))
    settings = ArcSettings(_isolated=True)
    parrot = Application(settings, register=[Parrot()], plugins=False)
    for served, answer in ((app, "DONE."), (parrot, "Hi")):
        async with serving_app(served.asgi()) as address, client_of(address) as client:
            for name, (path, body) in SURFACES.items():
                headers = {"accept": "application/json, text/event-stream", "a2a-version": "1.0"}
                response = await client.post(path, json=body, headers=headers)

                assert answer in response.text, name
            async with Client(f"{address}/mcp") as by_mcp:
                told = await by_mcp.call_tool("ask_default", {"task": "Hi"})

                assert answer in str(told.content)

    assert len(bills) == len(SURFACES) + 1


class EndlessStore(DictRunJournals):
    """Says itself how long its close may take."""

    close_timeout_s = 0.01

    async def aclose(self) -> None:
        await asyncio.Event().wait()


async def test_a_store_says_how_long_its_close_may_take(caplog: pytest.LogCaptureFixture) -> None:
    """One that lets steps end for a minute is not cancelled after the ten seconds of others."""
    app = Application(plugins=False)
    app.container.run_journals.override(EndlessStore())
    await app.start()
    async with asyncio.timeout(8):
        await app.aclose()

    assert "what keeps runs did not close" in caplog.text
