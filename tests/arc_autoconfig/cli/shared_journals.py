"""Journals that outlast a command, for tests of several commands in one process."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

import click

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Capability,
    RetryError,
    RunBody,
    RunState,
    RunSummary,
    RunSuspended,
    ToolContext,
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


class SharedJournals(DictRunJournals):
    """Runs what is queued when it is started, and what is submitted at once, if it is to work."""

    capabilities = frozenset(Capability)
    layout = "test-2"

    def __init__(self) -> None:
        super().__init__()
        self.records, self.results = STORE.records, STORE.results
        self._works = True
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def work_on(self, queues: Sequence[str], *, concurrency: int | None = None) -> None:
        self._works = bool(queues)
        if queues:
            click.echo(f"takes {queues}, {concurrency} at a time", err=True)

    async def start(self, body: RunBody) -> None:
        await super().start(body)
        for run_id, run in self.records.items():
            if run_id not in self.results and run.asked.keys() <= run.decisions.keys():
                self._begin(run_id)

    async def aclose(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks.values())

    async def submit(self, command: AgentCommand, *, run_id: str, **options: Any) -> None:
        await super().submit(command, run_id=run_id, **options)
        self._begin(run_id)

    async def events(self, run_id: str, *, after: int = 0) -> AsyncGenerator[NumberedEvent]:
        if run_id in self._tasks:
            await asyncio.wait([self._tasks[run_id]])
        async for event in super().events(run_id, after=after):
            yield event

    async def cancel(self, run_id: str) -> None:
        if run_id not in self.results:
            code = AgentErrorCode.CANCELLED
            self.results[run_id] = AgentResult(success=False, error_code=code, run_id=run_id)

    async def find(self, run_id: str) -> RunSummary:
        found = await super().find(run_id)
        if run_id == "old":
            return replace(found, state=RunState.INCOMPATIBLE, layout="test-1")
        is_queued = found.result is None and not found.requests
        state = RunState.QUEUED if is_queued else found.state
        return replace(found, state=state, layout=self.layout)

    async def retry(self, run_id: str) -> None:
        found = (await self.find(run_id)).result
        if found is None or found.success:
            raise RetryError("it has not failed", run_id=run_id)
        del self.results[run_id]

    def _begin(self, run_id: str) -> None:
        if self._works:
            self._tasks[run_id] = asyncio.create_task(self._live(run_id))

    async def _live(self, run_id: str) -> None:
        try:
            await self.take_up(run_id)
        except RunSuspended:
            return


class EndingJournals(SharedJournals):
    """Asks its own process to end once it has started."""

    async def start(self, body: RunBody) -> None:
        await super().start(body)
        os.kill(os.getpid(), signal.SIGTERM)
