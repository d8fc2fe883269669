"""Runs that go on in this process alone, and those that are asked for inside of another one.

A run that a component asks for, or the model by its call of a tool, belongs to the run in which it
was asked for: it shares its permit, counts with it, and ends with it at the latest. A component
asks as a program does, by `AgentExecutor.execute` or by the application; a context variable tells
the engine in which run that is.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from arc_core.command import AgentCommand
from arc_core.engine.event_channel import EventChannel
from arc_core.engine.journal.digests import DigestsByStore
from arc_core.engine.journal.recorder import RecordedCall, RunRecorder, current_step
from arc_core.engine.journal.step_forms import RecordForm
from arc_core.engine.run.run_steps import JournalRecorder, Note, find_place
from arc_core.engine.run_state import ActiveRun, DelegatedTask, RunStoppedError
from arc_core.engine.tools.approvals import ApprovalReach
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.run_scope import RunScopes
from arc_core.log import get_logger
from arc_core.requests import Decision, Request
from arc_core.result import AgentResult
from arc_core.runs.journal import Place, RunJournal, RunSuspended, StepWork
from arc_core.runs.store import RunStore
from arc_core.timing.cancellation import end_task, wait_despite_cancellation

T = TypeVar("T")


class NoteRecorder(RunRecorder):
    """Notes the steps of a run that its caller waits for, until a call of it may have to wait.

    Most runs ask no person, and to record their steps would cost them more than a third of their
    time. So the run gets a journal, with all its steps, before the first turn that calls a tool
    about which a person may be asked, or when a tool asks the user a question. A run above it gets
    the journal first.
    """

    def __init__(
        self,
        run: ActiveRun,
        open_journal: Callable[[], RunJournal],
        *,
        digests: DigestsByStore,
        above: "NoteRecorder | None" = None,
        prefix: str = "",
    ) -> None:
        self._run, self._open_journal, self._digests = run, open_journal, digests
        self._above, self.prefix = above, prefix
        self._notes: list[Note] = []
        self._opened: JournalRecorder | None = None

    async def step(
        self, key: str, work: StepWork[T], form: RecordForm[Any], *, place: Place | None = None
    ) -> T:
        """Take a step, and note it once it has ended; or record it, if the journal is there."""
        value = await work()
        note = key, value if form.pack is None else form.pack(value), form.plain
        if self._opened is None:
            self._notes.append(note)
        else:
            await self._opened.take_over([note])
        return value

    async def begin_turn(self, calls: Sequence[RecordedCall], may_ask: Callable[[], bool]) -> None:
        """Give the run a journal in which all its steps are, if a call may have to wait."""
        if may_ask():
            await (await self._open()).begin_turn(calls, may_ask)

    async def await_decision(self, key: str, request: Request) -> Decision:
        """Give the run a journal, and return the decision of people about a request."""
        return await (await self._open()).await_decision(key, request)

    def place_below(
        self, command: AgentCommand, step: str, call_index: int | None
    ) -> tuple[str, str]:
        """Return the place of a run that this one starts, and its id, the same in every life."""
        return find_place(self._run, command, step=step, call_index=call_index)

    def add_below(self, below: ActiveRun, step: str, place: str) -> None:
        """Note the steps of a run that this one has started in a step."""
        below.recorder = NoteRecorder(
            below,
            self._get_journal,
            digests=self._digests,
            above=self,
            prefix=f"{self.prefix}{place}/",
        )
        self._run.below.runs.setdefault(step, []).append(below)

    async def _open(self) -> JournalRecorder:
        """Give the run a journal with the steps that it has taken, after those above it."""
        if self._above is not None:
            await self._above._open()  # noqa: SLF001 -- of its own class
        if self._opened is None:
            self._opened = JournalRecorder(
                self._run, self._open_journal(), digests=self._digests, prefix=self.prefix
            )
            await self._opened.take_over(self._notes)
            self._opened.begin()
        return self._opened

    def _get_journal(self) -> RunJournal:
        assert self._opened is not None, "runs below are opened after it"
        return self._opened.journal


logger, approvals_logger = get_logger("runs"), get_logger("approvals")


_TOOL = "tool/"


class LocalRun:
    """A run of this engine that has begun, as the caller that has asked for it holds it.

    Its events are there if they have a channel.
    """

    __slots__ = ("_channel", "_run", "_task", "get", "poll", "run_id")

    def __init__(
        self, run: ActiveRun, task: asyncio.Task[AgentResult], channel: EventChannel | None
    ) -> None:
        self.run_id, self._run, self._task, self._channel = run.run_id, run, task, channel
        if channel is not None:
            self.poll, self.get = channel.poll, channel.get

    async def leave(self) -> None:
        """Cancel it, unless it has ended, and wait for its end."""
        await end_task(self._task, None if self._channel is None else self._channel.abandon)

    async def wait(self) -> AgentResult:
        """Wait for its end.

        Raises:
            RunSuspended: It goes on elsewhere, or a call of it waits for a person, for whom its
                caller waits, too.
        """
        if not self._task.done():
            self._run.ended = asyncio.get_running_loop().create_future()
            await self._run.ended
        if self._run.caller is not None:
            return await self._wait_below(self._run.caller, self._task)
        return self._task.result()

    async def _wait_below(self, caller: ActiveRun, ended: Awaitable[AgentResult]) -> AgentResult:
        """Wait for the end of a run that another one has started.

        A suspension leaves once all others have ended that were asked for in the same step, so
        that they are recorded.
        """
        step = self._run.asked_in
        try:
            return await ended
        except RunSuspended as suspended:
            caller.below.requests.setdefault(step, []).extend(suspended.requests)
            tasks = caller.below.tasks
            while others := [each for each, its in tasks.items() if its.asked_in == step]:
                await asyncio.wait(others)
            raise


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRuns:
    """Makes the runs that programs ask for, if no store keeps runs.

    The store records them once they may have to wait for a person.
    """

    store: RunStore
    reach: ApprovalReach
    scopes: RunScopes
    digests: DigestsByStore

    def check(self) -> None:
        """Warn if runs may wait that are lost with the process."""
        if self.reach.may_ask():
            approvals_logger.warning(
                "tool calls may wait for people, and runs that wait end with this process; "
                "durable.enabled keeps them in a database"
            )

    def make(
        self, asked: AgentCommand, command: AgentCommand, *, channel: EventChannel | None, deps: Any
    ) -> ActiveRun:
        """Make the run of a command, which is recorded as it was asked."""
        may_wait = self.reach.may_wait()
        run = ActiveRun.of(command, channel, scopes=self.scopes, deps=deps, may_wait=may_wait)
        open_journal = partial(self.store.open, asked, run_id=run.run_id, deps=deps)
        if self.store.is_recording:
            JournalRecorder(run, open_journal(), digests=self.digests).begin()
        elif may_wait:
            run.recorder = NoteRecorder(run, open_journal, digests=self.digests)
        return run


@dataclass(slots=True, eq=False)
class _Entered:
    """A run that passes its stages.

    Attributes:
        engine: Whose run it is; others have permits of their own.
        run: None once it has passed them, as tasks that it has begun may outlive it.
        outer: The run in which it was asked for, of any engine.
    """

    engine: object
    run: ActiveRun | None
    outer: "_Entered | None"


_ENTERED: ContextVar[_Entered | None] = ContextVar("arc_entered_run", default=None)


class NestedRuns:
    """The runs of one engine, as far as they stand below others."""

    def __init__(
        self,
        scopes: RunScopes | None,
        *,
        start: Callable[[ActiveRun], asyncio.Task[AgentResult]],
        max_depth: int,
    ) -> None:
        self._scopes, self._start, self._max_depth = scopes, start, max_depth

    def find_caller(self) -> ActiveRun | None:
        """Return the run in which this is called; None outside of all."""
        entered = _ENTERED.get()
        while entered is not None and (entered.engine is not self or entered.run is None):
            entered = entered.outer
        return None if entered is None else entered.run

    async def begin(self, run: ActiveRun) -> None:
        """Record that a tool has started a run, so that readers are told of its call once."""
        caller, step = run.caller, run.asked_in
        if caller is None or not step.startswith(_TOOL):
            return
        is_delegated = run.recorder.prefix == f"{caller.recorder.prefix}{step}/"
        if is_delegated or step in caller.below.noted:
            return
        caller.below.noted.add(step)
        await caller.recorder.begin_attempt(f"{step}/asked")

    async def pass_stages(
        self,
        run: ActiveRun,
        stages: Callable[[ActiveRun, asyncio.Timeout], Awaitable[T]],
        deadline: asyncio.Timeout,
    ) -> T:
        """Let a run pass its stages; what is asked for meanwhile stands below it.

        Runs that were not awaited by then are waited for until the deadline, so that the result
        has all that was used.
        """
        if run.depth > self._max_depth:
            logger.info("a run is too deep", max_depth=self._max_depth)
            message = f"Agents may ask each other {self._max_depth} runs deep, and no deeper."
            raise RunStoppedError(AgentErrorCode.LIMIT_REACHED, message)
        entered = _Entered(self, run, _ENTERED.get())
        token = _ENTERED.set(entered)
        try:
            passed = await stages(run, deadline)
            if run.has_runs_below and run.below.tasks:
                await _wait_for_others(run, deadline)
            return passed
        finally:
            _ENTERED.reset(token)
            entered.run = None
            if run.has_runs_below and run.below.tasks:
                await _end_others(run)

    def make(
        self,
        caller: ActiveRun,
        command: AgentCommand,
        *,
        channel: EventChannel | None,
        deps: Any = None,
    ) -> ActiveRun:
        """Make the run of a command that a component has asked for, in the name of its caller.

        A user, a tenant and metadata that the command has not are those of the caller; so are the
        deps, and the reader of its events, if none are given.
        """
        own = caller.command
        inherited: dict[str, Any] = {}
        if command.user_id is None:
            inherited["user_id"] = own.user_id
        if command.tenant_id is None:
            inherited["tenant_id"] = own.tenant_id
        if not command.metadata:
            inherited["metadata"] = own.metadata
        command = command.model_copy(update=inherited)
        return self._make(caller, command, channel=channel or _get_channel(caller), deps=deps)

    async def delegate(
        self, caller: ActiveRun, task: DelegatedTask, *, command: AgentCommand
    ) -> AgentResult:
        """Run what the model of the caller asks of another agent."""
        run = self._make(
            caller, command, channel=_get_channel(caller), deps=None, call_index=task.call_index
        )
        run.show_prompt(task.shown)
        run.streams_documents = True
        begun = self._start(run)
        try:
            return await asyncio.shield(begun)
        finally:
            await end_task(begun)

    def start(self, run: ActiveRun) -> asyncio.Task[AgentResult]:
        """Begin a run that another one has started, and ends with that at the latest."""
        assert run.caller is not None
        task, below = self._start(run), run.caller.below
        below.tasks[task] = run
        task.add_done_callback(lambda ended: below.tasks.pop(ended, None))
        return task

    def _make(
        self,
        caller: ActiveRun,
        command: AgentCommand,
        *,
        channel: EventChannel | None,
        deps: Any,
        call_index: int | None = None,
    ) -> ActiveRun:
        step = current_step(caller) or "" if call_index is None else f"tool/{call_index}"
        place, run_id = caller.recorder.place_below(command, step, call_index)
        run = ActiveRun.of(
            command,
            channel,
            scopes=self._scopes,
            deps=caller.scope.deps if deps is None else deps,
            caller=caller,
            run_id=run_id,
        )
        run.asked_in = step
        caller.recorder.add_below(run, step, place)
        return run


def _get_channel(caller: ActiveRun) -> EventChannel | None:
    """Return the channel for the events of a run that its caller waits for."""
    return None if caller.texts_only else caller.channel


async def _wait_for_others(run: ActiveRun, deadline: asyncio.Timeout) -> None:
    """Wait for what was asked for in a run that has its answer, as long as that may take."""
    others = [task for task, below in run.below.tasks.items() if not below.has_own_reader]
    if not others:
        return
    when, left_s = deadline.when(), None
    if when is not None:
        left_s = max(0.0, when - asyncio.get_running_loop().time())
        deadline.reschedule(None)  # the answer is there, and is not to be lost
    await asyncio.wait(others, timeout=left_s)


async def _end_others(run: ActiveRun) -> None:
    """Cancel what still goes on below a run, and wait for its end."""
    tasks = dict(run.below.tasks)
    logger.info("runs end with the one that has started them", count=len(tasks))

    async def end() -> None:
        async with asyncio.TaskGroup() as group:
            for task, below in tasks.items():
                channel = below.channel if below.has_own_reader else None
                abandon = None if channel is None else channel.abandon
                group.create_task(end_task(task, abandon))

    await wait_despite_cancellation(asyncio.create_task(end(), name="arc-runs-below-end"))
