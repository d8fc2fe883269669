"""The members that an author fills in, and the waits of the suite."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime

from arc_core.approvals import Approve, Decision, Deny
from arc_core.events import AgentEvent
from arc_core.result import AgentResult
from arc_core.runs.journal import RunBody
from arc_core.runs.store import RunState, RunStore, Waiting

__all__ = ["RunJournalRules", "by", "end_of", "read", "rest_of", "taking_runs", "until"]

_AT_MOST_S = 60.0
_LOOK_EVERY_S = 0.01


class RunJournalRules(ABC):
    """The members that an author's class has for the tests.

    Attributes:
        outlives_process: Whether runs go on in other journals, as after the end of a process;
            `reopen` makes these. What cannot be written down is refused then.
        jittered_runs: With how many runs the order of parallel steps is tried.
        max_journal_bytes: What a run of 100 turns of 5 KB may take.
    """

    outlives_process = False
    jittered_runs = 1_000
    max_journal_bytes = 1_200_000

    @abstractmethod
    def make_journals(self) -> RunStore:
        """New journals, not started, in which there is no run."""

    def reopen(self) -> RunStore:
        """Other journals, not started, over what the closed ones of `make_journals` have kept."""
        raise NotImplementedError("say how journals are opened again: override reopen()")

    async def kept_bytes(self, journals: RunStore) -> int | None:
        """Return the bytes of all runs in the database; None if they cannot be counted."""
        del journals
        return None


@asynccontextmanager
async def taking_runs(journals: RunStore, body: RunBody) -> AsyncIterator[RunStore]:
    """Start journals with a body, and close them again."""
    await journals.start(body)
    try:
        yield journals
    finally:
        await journals.aclose()


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is so, at most a minute.

    Raises:
        TimeoutError: It is not.
    """
    async with asyncio.timeout(_AT_MOST_S):
        while not await is_so():  # noqa: ASYNC110 -- another process may make it so
            await asyncio.sleep(_LOOK_EVERY_S)


async def rest_of(journals: RunStore, run_id: str) -> AgentResult | Waiting:
    """Return the state of a run once it has ended, or waits for a person."""

    async def rests() -> bool:
        found = await journals.result(run_id)
        return not isinstance(found, Waiting) or found.state is RunState.WAITING

    await until(rests)
    return await journals.result(run_id)


async def end_of(journals: RunStore, run_id: str) -> AgentResult:
    """The end of a run."""

    async def has_ended() -> bool:
        return not isinstance(await journals.result(run_id), Waiting)

    await until(has_ended)
    found = await journals.result(run_id)
    assert isinstance(found, AgentResult)
    return found


async def read(journals: RunStore, run_id: str, *, after: int = 0) -> list[AgentEvent]:
    """The events of a run, to the end or until it waits for a person."""
    events = journals.events(run_id, after=after)
    async with asyncio.timeout(_AT_MOST_S), aclosing(events):
        return [event async for event in events]


def by(name: str, answer: Approve | Deny | None = None) -> Decision:
    """Return a decision; an approval if nothing else is said."""
    return Decision(answer=answer or Approve(), by=name, at=datetime.now(UTC))
