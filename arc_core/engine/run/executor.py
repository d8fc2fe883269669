"""The engine's entry points, over one way of running."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from structlog.contextvars import bind_contextvars

from arc_core.command import AgentCommand
from arc_core.engine.agents.agent_profiles import (
    AgentProfiles,
    check_command,
    check_models,
    check_references,
    check_scheduled,
    every_agent,
)
from arc_core.engine.boundary.boundary import contain
from arc_core.engine.event_channel import EventChannel
from arc_core.engine.journal.digests import DigestsByStore
from arc_core.engine.journal.journal_channel import JournalChannel, record_run, take_journal
from arc_core.engine.journal.recorder import NO_RECORDER
from arc_core.engine.journal.records import AgentStep
from arc_core.engine.journal.step_forms import IN_CHARGE
from arc_core.engine.run.direct_tool_calls import DirectToolCalls
from arc_core.engine.run.finishing import RunFinisher
from arc_core.engine.run.local_runs import LocalRun, LocalRuns, NestedRuns
from arc_core.engine.run.run_steps import JournalRecorder
from arc_core.engine.run.stored_runs import RecordedRun, StoredRuns
from arc_core.engine.run_limits import Admission
from arc_core.engine.run_state import ActiveRun, DelegatedTask
from arc_core.engine.turns.collaborators import AgentComponents, Collaborators
from arc_core.engine.turns.pipeline import Pipeline
from arc_core.events import AgentEvent, AgentStarted, RunFinished, TextDelta, ToolCallProgress
from arc_core.interfaces.agent_executor import AgentExecutor, CallsTools, RecordsRuns, RunsToolCalls
from arc_core.interfaces.tools.tool import Tool
from arc_core.limits import Limits
from arc_core.messages import ToolCall, ToolResult
from arc_core.result import AgentResult
from arc_core.runs.journal import RunJournal, RunSuspended
from arc_core.runs.store import Capability
from arc_core.settings import AgentSettings
from arc_core.timing.cancellation import (
    cancel_soon,
    end_in_order,
    finish_despite_cancellation,
    leave_if_cancelled,
)


class ReActAgentExecutor(AgentExecutor, CallsTools, RunsToolCalls, RecordsRuns):
    """Runs agents that reason and act in turns.

    Each run is owned by a task of its own: its deadline and its caller's time-outs and
    cancellations are never mistaken for each other, its logging context ends with it, and a
    slow reader of a stream slows that run alone.

    Args:
        components: What the engine works with.
        settings: Limits, time-outs and policies.

    Attributes:
        components: The same, with the agents that stand in tools alone.
    """

    def __init__(self, *, components: AgentComponents, settings: AgentSettings) -> None:
        agents = every_agent(components.agents, components.tools)
        components = replace(components, agents=agents)
        parts = Collaborators(components, settings)
        self.components, self.settings = components, settings
        self._parts = parts
        self._profiles = AgentProfiles(agents, limits=Limits.of(settings.limits))
        self._direct = DirectToolCalls(parts, scopes=components.run_scopes)
        self._scopes, self._journals = components.run_scopes, components.run_journals
        self._admission = Admission(settings.concurrency)
        self._nested = NestedRuns(
            self._scopes, start=self._start_run, max_depth=settings.agents.max_depth
        )
        self._pipeline = Pipeline(parts, profiles=self._profiles)
        self._finisher = RunFinisher(parts)
        self._digests = DigestsByStore(components.wiring)
        self._keeps_runs = Capability.KEEPS in self._journals.capabilities
        self._stored_runs = StoredRuns(
            store=self._journals, read=parts.structured_output.read, get_text=parts.get_error_text
        )
        self._local_runs = LocalRuns(
            store=self._journals,
            reach=parts.approval_reach,
            scopes=self._scopes,
            digests=self._digests,
        )
        self._tasks: set[asyncio.Task[AgentResult]] = set()

    async def start(self) -> None:
        """Get ready for the running event loop; permits belong to one.

        Raises:
            ConfigurationError: An agent names a tool, an agent or a model that does not exist,
                agents ask each other in a circle, or costs are bounded of a model without a price.
        """
        models, agents, billing = self._parts.models, self.components.agents, self._parts.billing
        self._journals.report_runs(self._parts.metrics.record_kept_runs)
        check_references(agents)
        check_scheduled(self._journals.scheduled_agents(), known=self._profiles.names)
        check_models(agents, known=models.names, vendor_model=models.default.llm.model)
        billing.check(agents, profiles=self._profiles)
        self._parts.tool_selection.check()
        self._admission = Admission(self.settings.concurrency)
        if not self._keeps_runs:
            self._local_runs.check()

    async def aclose(self) -> None:
        """Cancel the runs that are still going on, and wait for their ends.

        Those that a journal keeps it has let go before: they go on in another process.
        """
        for task in self._tasks:
            cancel_soon(task)
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._parts.billing.spending.aclose()

    async def execute(self, command: AgentCommand, *, deps: Any = None) -> AgentResult:
        """Run to the end; failures are results."""
        run = self._begin(command, None, deps=deps, streams_documents=True)
        try:
            return await run.wait()
        finally:
            await run.leave()

    def execute_stream(self, command: AgentCommand, *, deps: Any = None) -> AsyncGenerator[str]:
        """The text as the model produces it; a failure is a last piece `[error] <message>`."""
        return self._texts(check_command(command), deps)

    def stream_events(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens, `RunFinished` last; leaving the iteration cancels the run.

        Raises:
            TypeError: The command is not an `AgentCommand`.
        """
        return self._events(check_command(command), deps)

    def stream_documents(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        """As `stream_events`, JSON and YAML answers too."""
        return self._events(check_command(command), deps, streams_documents=True)

    def callable_tools(self) -> Sequence[Tool]:
        """The tools that may be called without a model; see `CallsTools`."""
        return self._parts.callable_tools.list()

    def may_wait(self, tool: Tool) -> bool:
        """Return True if a call of a tool needs a run; see `RunsToolCalls`."""
        return self._parts.callable_tools.may_wait(tool)

    async def call_tool(
        self,
        call: ToolCall,
        command: AgentCommand,
        *,
        report: Callable[[ToolCallProgress], None] | None = None,
    ) -> ToolResult:
        """Call a tool without a model; see `CallsTools`."""
        return await self._direct.call(call, command, report=report)

    async def _texts(self, command: AgentCommand, deps: Any) -> AsyncGenerator[str]:
        run = self._begin(command, EventChannel(), deps=deps, texts_only=True)
        try:
            while (event := run.poll() or await run.get()) is not None:
                if isinstance(event, str):
                    yield event
                elif event.run_id != run.run_id:
                    continue
                elif isinstance(event, TextDelta):
                    yield event.text
                elif isinstance(event, RunFinished) and event.result.error_code is not None:
                    yield f"[error] {event.result.error_message}"
            await run.wait()
        finally:
            await run.leave()

    async def _events(
        self, command: AgentCommand, deps: Any, *, streams_documents: bool = False
    ) -> AsyncGenerator[AgentEvent]:
        run = self._begin(command, EventChannel(), deps=deps, streams_documents=streams_documents)
        try:
            while (event := run.poll() or await run.get()) is not None:
                assert not isinstance(event, str)
                yield event
            await run.wait()
        finally:
            await run.leave()

    def _begin(
        self,
        asked: AgentCommand,
        channel: EventChannel | None,
        *,
        deps: Any,
        texts_only: bool = False,
        streams_documents: bool = False,
    ) -> LocalRun | RecordedRun:
        """Begin a run in the journal that is given here, below the run that asks, or for a program.

        It is recorded as it was asked; without a channel, the result alone is asked for.
        """
        command, start = self._profiles.accept(asked), self._start_run
        if (given := take_journal()) is not None:
            run, streams_documents = self._continue_run(command, given, deps), True
            if channel is None:
                given.abandon()
            else:
                channel = given
        elif (caller := self._nested.find_caller()) is not None:
            run = self._nested.make(caller, command, channel=channel, deps=deps)
            start = self._nested.start
        elif self._keeps_runs:
            return RecordedRun(asked, command, deps, runs=self._stored_runs)
        else:
            run = self._local_runs.make(asked, command, channel=channel, deps=deps)
        run.texts_only, run.streams_documents = texts_only, streams_documents
        return LocalRun(run, start(run), channel)

    def _continue_run(self, command: AgentCommand, given: JournalChannel, deps: Any) -> ActiveRun:
        """A run that a journal keeps, from the first step that is not recorded."""
        journal = given.journal
        run = ActiveRun.of(
            command,
            given,
            scopes=self._scopes,
            deps=journal.deps if deps is None else deps,
            run_id=journal.run_id,
        )
        JournalRecorder(run, journal, digests=self._digests).begin()
        return run

    async def _execute_inner(self, caller: ActiveRun, task: DelegatedTask) -> AgentResult:
        """Run another agent below a run, whose reader gets its events, too."""
        command = self._profiles.accept(task.command)
        return await self._nested.delegate(caller, task, command=command)

    def is_asked(self, run_id: str) -> bool:
        """Return whether a caller in this process waits for a kept run, or reads it."""
        return run_id in self._stored_runs.asked

    async def run_kept(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        """The body of a run that a journal keeps, with nothing that wraps the engine around it."""
        return await record_run(self.stream_events, command, journal, is_direct=True)

    def _start_run(self, run: ActiveRun) -> asyncio.Task[AgentResult]:
        task = asyncio.create_task(self._run(run), name=f"arc-run-{run.run_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _run(self, run: ActiveRun) -> AgentResult:
        run.start_inner = self._execute_inner
        context = run.hook_context
        more = {} if run.command.agent is None else {"agent": context.agent}
        if context.parent_run_id is not None:
            more["parent_run_id"] = context.parent_run_id
        bind_contextvars(
            run_id=context.run_id, user_id=context.user_id, session_id=context.session_id, **more
        )
        try:
            result = await self._run_to_result(run)
            if run.channel is not None:
                await run.recorder.tell_end(result, run.emit)
            return result
        except RunSuspended as suspended:
            if run.caller is not None:
                raise
            result = self._finisher.waiting_of(run, suspended.requests)
            run.recorder.keep_so_far(result)
            if run.channel is not None:
                run.channel.note_suspension(suspended)
            await run.emit(RunFinished(result))
            return result
        finally:
            if run.channel is not None and run.has_own_reader:
                run.channel.close()
            run.recorder = NO_RECORDER  # one that refers to the run is freed only by `gc`
            if run.ended is not None and not run.ended.done():
                run.ended.set_result(None)

    async def _run_to_result(self, run: ActiveRun) -> AgentResult:
        try:
            if run.caller is not None:
                await self._nested.begin(run)
            profiles, command = self._profiles, run.command
            is_below = run.caller is not None and profiles.knows(command)
            if is_below or profiles.is_wired(command.agent):  # by which readers tell runs apart
                await self._put_in_charge(run)
            with contain():  # for what is not a component, such as validators of a schema
                limits = run.command.limits
                answer = await self._admission.run(
                    partial(self._nested.pass_stages, run, self._pipeline.answer),
                    deadline_s=None if limits is None else limits.deadline_s,
                    has_permit=run.caller is not None or run.recorder.is_ending,
                )
            leave_if_cancelled()
            result = self._finisher.result_of(run, answer)
        except (RunSuspended, asyncio.CancelledError) as end:
            if run.recorder.goes_on_after(end):
                requests = end.requests if isinstance(end, RunSuspended) else ()
                await finish_despite_cancellation(self._finisher.leave(run, requests))
                raise
            result = self._finisher.get_failure(run, asyncio.CancelledError())
            if isinstance(end, asyncio.CancelledError):
                await finish_despite_cancellation(self._finish(run, result))
                raise
        except Exception as error:  # noqa: BLE001 -- failures are results
            result = self._finisher.get_failure(run, error)
        return await end_in_order(self._finish(run, result))

    def _finish(self, run: ActiveRun, result: AgentResult) -> Coroutine[Any, Any, AgentResult]:
        """Do what there is to do at the end of a run."""
        return run.recorder.finish(
            result, partial(self._finisher.finish, run, result), partial(self._finisher.leave, run)
        )

    async def _put_in_charge(self, run: ActiveRun) -> None:
        """Find out who is in charge, and tell the caller of a stream."""
        asked = run.agent

        async def begin() -> AgentStep:
            agent = asked if run.caller is not None else await self._parts.in_charge.find(run)
            await run.emit(AgentStarted(agent, parent_run_id=run.hook_context.parent_run_id))
            return AgentStep(agent=agent, earlier_handoffs=run.earlier_handoffs)

        begun = await run.recorder.step("begin", begin, IN_CHARGE)
        run.earlier_handoffs = begun.earlier_handoffs
        if begun.agent != asked:
            run.put_in_charge(self._profiles.switch(run.command, begun.agent))
            bind_contextvars(agent=begun.agent)
