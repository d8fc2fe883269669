"""Keeps runs in SQLite or PostgreSQL, so that they outlive their process.

Pick SQLite for one process, whose runs go on when it is started again; pick PostgreSQL for many
workers, which take over the runs of one that dies. A step costs one transaction. Settings:
`durable`. Needs the extra `durable`.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from arc_core import AgentCommand, ConfigurationError, Decision, KeptRunCounts, Logger, RunFinished
from arc_core import settings as core
from arc_core.errors import DecisionError, FormError
from arc_core.forms import to_json
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.runs.journal import NumberedEvent, Recording, RunBody, RunHistory
from arc_core.runs.store import Capability, RunPage, RunQuery, RunState, RunStore, RunSummary
from arc_core.stores.sql import explain_sql_failures
from arc_plugins.journals.settings import (
    DEFAULT_QUEUE,
    DurableSettings,
    ScheduleSettings,
    SchedulesSettings,
)
from arc_plugins.journals.sql import approval_store, event_store, run_store
from arc_plugins.journals.sql.database import DatabaseThreads, run_address
from arc_plugins.journals.sql.driver import write_deps
from arc_plugins.journals.sql.queues import Share, all_queues
from arc_plugins.journals.sql.run_queries import (
    find_run,
    list_runs,
    read_history,
    read_recording,
    running_in,
    search_runs,
)
from arc_plugins.journals.sql.session import Wakeups, wait_briefly
from arc_plugins.journals.sql.sweep import RunCounting
from arc_plugins.journals.sql.tables import LAYOUT, to_moment
from arc_plugins.journals.sql.upkeep import remove_run, retry
from arc_plugins.journals.sql.worker import RunProcess

_READ_S, _MAX_READ_S, _SLOWER = 0.03, 0.1, 1.2
"""The seconds between two looks for events of a run elsewhere; more if none come."""

_LOST_S = 2.0
"""Those in which a notification that was lost is noticed."""

_CLOSE_S = 30.0
"""The seconds after the time for steps in which runs leave, and the database closes."""


class DurableRunJournals(RunStore):
    """Runs in a database, out of which processes take them."""

    capabilities = frozenset(Capability)
    layout = LAYOUT
    is_recording = True

    def __init__(
        self,
        *,
        settings: DurableSettings,
        schedules: SchedulesSettings,
        conversation: core.ConversationSettings,
        logger: Logger,
    ) -> None:
        beside = getattr(conversation, "url", None)
        self._settings, self._schedules, self._logger = settings, schedules, logger
        self.close_timeout_s = settings.handover_timeout_s + _CLOSE_S
        self._address = run_address(_reveal(settings.url), conversations=_reveal(beside))
        self._wakeups, self._counting = Wakeups(), RunCounting()
        self._queues: Sequence[str] | None = None
        self._concurrency: int | None = None
        self._process: RunProcess | None = None

    def report_runs(self, record: Callable[[KeptRunCounts], None]) -> None:
        """Tell of all runs that wait or are queued, while this process works."""
        self._counting.record = record

    @property
    def leaves_runs_to_workers(self) -> bool:  # type: ignore[override]  # it is not written
        """True if this process works on no queue, as with PostgreSQL without `durable.work`."""
        return not self._share.queues

    def scheduled_agents(self) -> Sequence[str]:
        """The agents whose runs begin by the clock."""
        return [each.agent for each in self._schedules.root if each.agent is not None]

    def record_runs(self) -> None:
        """Nothing is to be done: it has the record of each run."""

    def work_on(self, queues: Sequence[str], *, concurrency: int | None = None) -> None:
        """Take runs of these queues alone; without any, run nothing here."""
        self._queues, self._concurrency = tuple(queues), concurrency

    async def start(self, body: RunBody) -> None:
        """Open the database, make its tables if there are none, and take runs.

        Of the processes that have opened a file of SQLite, one works on its runs; the others read,
        submit and decide.
        """
        for queue in self._queues or ():
            self._check_queue(queue)
        process = self._process = RunProcess(
            self._address,
            settings=self._settings,
            body=body,
            wakeups=self._wakeups,
            logger=self._logger,
        )
        try:
            with explain_sql_failures(self._address):
                await process.open()
                if self._queues == ():
                    await process.take_no_runs()
                else:
                    await process.take_runs(
                        self._share, counting=self._counting, submit=self._submit_by_clock
                    )
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """Let go of all runs, and close what was opened."""
        if self._process is not None:
            try:
                await self._process.aclose()
            finally:
                self._process = None

    async def submit(
        self,
        command: AgentCommand,
        *,
        run_id: str,
        deps: Any = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> None:
        """Have a command run by a process that works on its queue."""
        row = self._make_queued_row(command, run_id=run_id, deps=deps, queue=queue)
        row["not_before"] = None if not_before is None else to_moment(not_before)
        await self._threads.write(partial(run_store.insert_run, row=row))
        self._wakeups.look()

    async def begin(
        self, command: AgentCommand, *, run_id: str, deps: Any = None, is_wrapped: bool = False
    ) -> None:
        """Have a command run here, at once and outside of any queue; its caller waits for it.

        If this process dies, another one goes on. The same one twice is one run.
        """
        if not self._open.is_working:  # others work
            row = self._make_queued_row(command, run_id=run_id, deps=deps)
            await self._threads.write(partial(run_store.insert_run, row=row, is_wrapped=is_wrapped))
            self._wakeups.look()
            return
        driver, attempt_id = self._open.driver, uuid4().hex
        row = self._make_queued_row(command, run_id=run_id, deps=deps)
        row |= {"state": RunState.RUNNING.value, "life": attempt_id, "executor": driver.executor}
        row["ticket"] = 1
        if await self._threads.write(partial(run_store.insert_run, row=row)):
            driver.begin(
                run_store.Taken(
                    run_id=run_id, attempt_id=attempt_id, command=row["command"], deps=row["deps"]
                )
            )

    async def events(self, run_id: str, *, after: int = 0) -> AsyncGenerator[NumberedEvent]:
        """Yield the events of a run, also while it goes on in another process."""
        number, pause_s = 0, _READ_S
        with self._wakeups.reading(run_id, after=after) as written:
            while True:
                written.clear()
                page = await self._read_page(run_id, after=after, number=number)
                for event in page.events:
                    yield event
                    if isinstance(event, RunFinished) and event.run_id == run_id:
                        return
                if page.ends:
                    return
                number = page.number
                pause_s = _READ_S if page.events else min(_MAX_READ_S, pause_s * _SLOWER)
                if page.is_all:
                    is_told = self._wakeups.are_heard
                    await wait_briefly(written, _LOST_S if is_told else pause_s)

    async def _read_page(self, run_id: str, *, after: int, number: int) -> event_store.EventPage:
        read = partial(event_store.read_page, run_id=run_id, after=after, number=number)
        try:
            return await self._threads.query(read)
        except FormError:  # a retry has removed a step between two statements
            return await self._threads.read(read)

    async def decide(self, run_id: str, key: str, decision: Decision) -> None:
        """Let a waiting call go on, or not; the first decision counts."""
        work = partial(approval_store.keep_decision, run_id=run_id, key=key, decision=decision)
        problem = await self._threads.write(work)
        self._wakeups.look()
        if problem is not None:
            raise DecisionError(problem, run_id=run_id, key=key)

    async def cancel(self, run_id: str) -> None:
        """End a run of this layout: here if no process has it; one that does is told."""
        driver, attempt_id = self._open.driver, uuid4().hex
        cancel = partial(
            run_store.end_run, run_id=run_id, attempt_id=attempt_id, executor=driver.executor
        )
        taken = await self._threads.write(cancel)
        if taken is None:
            driver.stop(run_id)
            self._wakeups.look()
        else:
            await asyncio.wait([driver.begin(taken)])

    async def retry(self, run_id: str) -> None:
        """Queue a failed run again: it goes on after its last step that has not ended it."""
        await self._threads.write(partial(retry, run_id=run_id))
        self._wakeups.look()

    async def forget(self, run_id: str) -> None:
        """Remove a run that has ended."""
        await self._threads.write(partial(remove_run, run_id=run_id))

    async def list(
        self,
        *,
        state: RunState | None = None,
        limit: int | None = 50,
        requests: Mapping[str, str] | None = None,
    ) -> Sequence[RunSummary]:
        """The newest runs, newest first."""
        find = partial(list_runs, state=state, limit=limit, requests=requests)
        return await self._threads.read(find)

    async def search(self, query: RunQuery) -> RunPage:
        """A page of the newest runs that a query wants."""
        return await self._threads.read(partial(search_runs, query=query))

    async def find(self, run_id: str) -> RunSummary:
        """Return one run."""
        return await self._threads.read(partial(find_run, run_id=run_id))

    async def history(self, run_id: str) -> RunHistory:
        """Return the attempts and steps of a run."""
        return await self._threads.read(partial(read_history, run_id=run_id))

    async def recording(self, run_id: str) -> Recording:
        """Return the record of a run, unless only another version of Arc can read it."""
        threads = self._threads
        read = partial(read_recording, run_id=run_id, digest_key=threads.digest_key)
        return await threads.read(read)

    async def fork(
        self,
        run_id: str,
        *,
        fork_id: str,
        steps: Sequence[str],
        command: AgentCommand,
        deps: Any = None,
    ) -> None:
        """Queue a run with steps of another one."""
        row = self._make_queued_row(command, run_id=fork_id, deps=deps)
        await self._threads.write(partial(run_store.fork_run, run_id=run_id, row=row, keys=steps))
        self._wakeups.look()

    async def running_in(
        self, session_id: str, *, user_id: str | None, tenant_id: str | None
    ) -> str | None:
        """The newest run of a conversation that has no end yet."""
        ask = partial(running_in, session_id=session_id, user_id=user_id, tenant_id=tenant_id)
        return await self._threads.query(ask)

    async def check_health(self) -> Health:
        """Ask the database, and say whether this process works."""
        try:
            await self._threads.query(
                lambda connection: connection.execute(text("SELECT 1")).close()
            )
        except (OSError, SQLAlchemyError) as error:
            return Health(
                status=HealthStatus.ERROR,
                summary=f"{self._address.place} does not answer: {type(error).__name__}",
                remedy="start the database; runs go on once it is back",
            )
        if not self._open.is_working:
            return Health(
                status=HealthStatus.OK,
                summary=f"{self._address.place}; another process works on its runs",
            )
        deaf = "; it looks often, as notifications do not arrive" if self._open.is_deaf else ""
        return Health(status=HealthStatus.OK, summary=f"{self._address.place}{deaf}")

    @property
    def _share(self) -> Share:
        """The queues of `work_on`, else those of the settings."""
        queues, works = self._queues, self._settings.work
        if queues is None:
            works = self._address.file is not None if works is None else works
            queues = tuple(all_queues(self._settings)) if works else ()
        return Share(
            queues=queues,
            max_running=self._concurrency or self._settings.max_running,
            schedules=self._schedules.root,
        )

    async def _submit_by_clock(self, run_id: str, schedule: ScheduleSettings) -> None:
        command = AgentCommand(user_prompt=schedule.prompt, agent=schedule.agent)
        await self.submit(command, run_id=run_id, queue=schedule.queue)

    def _make_queued_row(
        self, command: AgentCommand, *, run_id: str, deps: Any, queue: str | None = None
    ) -> dict[str, Any]:
        queue = DEFAULT_QUEUE if queue is None else queue
        self._check_queue(queue)
        if command.tenant_id is not None and not command.tenant_id.isprintable():
            raise FormError(
                "it has characters that no database can keep",
                place="$.tenant_id",
                remedy="write it in printable characters",
            )
        return {
            "run_id": run_id,
            "state": RunState.QUEUED.value,
            "not_before": None,
            "queue": queue,
            "tenant": command.tenant_id,
            "command": to_json(command),
            "deps": write_deps(deps),
        }

    def _check_queue(self, queue: str) -> None:
        queues = all_queues(self._settings)
        if queue not in queues:
            raise ConfigurationError(
                f"there is no queue {queue!r}",
                evidence=[f"there are: {', '.join(sorted(queues))}"],
                remedy="name one of these, or add it to durable.queues",
            )

    @property
    def _open(self) -> RunProcess:
        if self._process is None:
            raise RuntimeError("the journals of runs are not started: await start() first")
        return self._process

    @property
    def _threads(self) -> DatabaseThreads:
        return self._open.threads


def _reveal(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
