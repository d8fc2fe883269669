"""Journals that outlast a command, for tests of several commands in one process."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import click

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    ApprovalRequest,
    Capability,
    Decision,
    RetryError,
    RunBody,
    RunState,
    RunStore,
    RunSummary,
    RunSuspended,
    ToolContext,
    Waiting,
    tool,
)
from arc_core.runs.journal import NumberedEvent
from arc_core.testing.run_journals import DictRunJournals

__all__ = ["OPTIONS", "STORE", "EndingJournals", "SharedJournals", "pay"]

STORE = DictRunJournals()
"""The database, as it were."""

OPTIONS = ("--set", f"plugins.load={__name__}:SharedJournals,{__name__}:pay")
"""Put these journals in charge, and offer a tool that waits for a person."""


@tool(needs_approval=True)
async def pay(amount: int, context: ToolContext) -> str:
    """Pay."""
    return f"paid {amount} by {context.idempotency_key}"


class SharedJournals(RunStore):
    """Runs what is queued when it is started, and what is submitted at once, if it is to work."""

    capabilities = frozenset(Capability)
    layout = "test-2"

    def __init__(self) -> None:
        self._works = True
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def work_on(self, queues: Sequence[str], *, concurrency: int | None = None) -> None:
        self._works = bool(queues)
        if queues:
            click.echo(f"takes {queues}, {concurrency} at a time", err=True)

    async def start(self, body: RunBody) -> None:
        STORE.body = body
        for run_id, run in STORE.records.items():
            if run_id not in STORE.results and run.asked.keys() <= run.decisions.keys():
                self._begin(run_id)

    async def aclose(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks.values())

    async def submit(
        self,
        command: AgentCommand,
        *,
        run_id: str,
        deps: Any = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> None:
        STORE.open(command, run_id=run_id, deps=deps)
        self._begin(run_id)

    async def result(self, run_id: str) -> AgentResult | Waiting:
        found = await STORE.result(run_id)
        if isinstance(found, Waiting):
            run = STORE.records[run_id]
            requests = tuple(each for key, each in run.asked.items() if key not in run.decisions)
            state = RunState.WAITING if requests else RunState.QUEUED
            return Waiting(run_id=run_id, state=state, requests=requests)
        return found

    async def events(self, run_id: str, *, after: int = 0) -> AsyncGenerator[NumberedEvent]:
        if run_id in self._tasks:
            await asyncio.wait([self._tasks[run_id]])
        async for event in STORE.events(run_id, after=after):
            yield event

    async def decide(self, run_id: str, key: str, decision: Decision) -> None:
        await STORE.decide(run_id, key, decision)

    async def cancel(self, run_id: str) -> None:
        if run_id not in STORE.results:
            code = AgentErrorCode.CANCELLED
            STORE.results[run_id] = AgentResult(success=False, error_code=code, run_id=run_id)

    async def waiting(self, **filters: str) -> Sequence[ApprovalRequest]:
        return await STORE.waiting(**filters)

    async def runs(self, *, state: RunState | None = None, limit: int = 50) -> list[RunSummary]:
        found = [await self._summary(run_id) for run_id in STORE.records]
        return [each for each in found if state in {None, each.state}][:limit]

    async def find(self, run_id: str) -> RunSummary:
        return await self._summary(run_id)

    async def retry(self, run_id: str) -> None:
        found = await self.result(run_id)
        if isinstance(found, Waiting) or found.success:
            raise RetryError("it has not failed", run_id=run_id)
        del STORE.results[run_id]

    def _begin(self, run_id: str) -> None:
        if self._works:
            self._tasks[run_id] = asyncio.create_task(self._live(run_id))

    async def _live(self, run_id: str) -> None:
        try:
            await STORE.take_up(run_id)
        except RunSuspended:
            return

    async def _summary(self, run_id: str) -> RunSummary:
        found = await self.result(run_id)
        summary = RunSummary(
            run_id=run_id,
            state=RunState.INCOMPATIBLE if run_id == "old" else RunState.FINISHED,
            since=datetime(2026, 1, 2, tzinfo=UTC),
            layout="test-1" if run_id == "old" else self.layout,
        )
        if isinstance(found, AgentResult):
            return replace(summary, error_code=found.error_code)
        if not found.requests:
            return summary
        return replace(summary, state=found.state, requests=found.requests)


class EndingJournals(SharedJournals):
    """Asks its own process to end once it has started."""

    async def start(self, body: RunBody) -> None:
        await super().start(body)
        os.kill(os.getpid(), signal.SIGTERM)
