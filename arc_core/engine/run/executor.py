"""The engine's entry points, over one way of running."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from structlog.contextvars import bind_contextvars

from arc_core.cancellation import leave_if_cancelled, wait_despite_cancellation
from arc_core.command import AgentCommand
from arc_core.engine.agent_profiles import AgentProfiles
from arc_core.engine.agent_references import check_models, check_references, every_agent
from arc_core.engine.components.agent_components import AgentComponents
from arc_core.engine.components.containment import contain
from arc_core.engine.cost_limits import check_prices_of_agents
from arc_core.engine.event_channel import EventChannel
from arc_core.engine.run.admission import Admission
from arc_core.engine.run.finishing import RunFinisher
from arc_core.engine.run.shielding import cancel, finish_despite_cancellation
from arc_core.engine.run_state import Run
from arc_core.engine.turns.pipeline import Pipeline
from arc_core.engine.turns.stages import Stages
from arc_core.events import AgentEvent, AgentStarted, RunFinished
from arc_core.interfaces.agent_executor import AgentExecutor
from arc_core.limits import Limits
from arc_core.result import AgentResult
from arc_core.settings import AgentSettings

__all__ = ["ReActAgentExecutor"]


class ReActAgentExecutor(AgentExecutor):
    """Runs agents that reason and act in turns.

    Each run is owned by a task of its own: its deadline and its caller's time-outs and
    cancellations are never mistaken for each other, its logging context ends with it, and a
    slow reader of a stream slows that run alone.

    Args:
        components: What the engine works with.
        settings: Limits, time-outs and policies.
    """

    def __init__(self, *, components: AgentComponents, settings: AgentSettings) -> None:
        agents = every_agent(components.agents, components.tools)
        components = replace(components, agents=agents)
        stages = Stages.of(components, settings)
        self._settings = settings
        self._agents = agents
        self._models = stages.models
        self._profiles = AgentProfiles(agents, limits=Limits.of(settings.limits))
        self._tool_selection = stages.tool_selection
        self._in_charge = stages.in_charge
        self._scopes = components.run_scopes
        self._admission = Admission(settings.concurrency)
        self._pipeline = Pipeline(stages, profiles=self._profiles, settings=settings)
        self._finisher = RunFinisher(
            history=stages.history,
            in_charge=stages.in_charge,
            hooks=stages.hooks,
            metrics=stages.metrics,
            error_messages=stages.error_messages,
        )
        self._tasks: set[asyncio.Task[AgentResult]] = set()

    async def start(self) -> None:
        """Get ready for the running event loop; permits belong to one.

        Raises:
            ConfigurationError: An agent names a tool, an agent or a model that does not exist,
                agents ask each other in a circle, or costs are bounded of a model without a price.
        """
        models = self._models
        check_references(self._agents)
        check_models(self._agents, known=models.names, vendor_model=models.default.llm.model)
        check_prices_of_agents(self._agents, profiles=self._profiles, models=models)
        self._tool_selection.check()
        self._admission = Admission(self._settings.concurrency)

    async def aclose(self) -> None:
        """Cancel the runs that are still going on, and wait for their ends."""
        for task in self._tasks:
            cancel(task)
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def execute(self, command: AgentCommand, *, deps: Any = None) -> AgentResult:
        """Run to the end; failures are results.

        Raises:
            TypeError: The command is not an `AgentCommand`.
        """
        run = Run.of(self._profiles.accept(command), scopes=self._scopes, deps=deps)
        return await self._execute(run)

    def execute_stream(self, command: AgentCommand, *, deps: Any = None) -> AsyncGenerator[str]:
        """The text as the model produces it; a failure is a last piece `[error] <message>`.

        Raises:
            TypeError: The command is not an `AgentCommand`.
        """
        return self._texts(self._profiles.accept(command), deps)

    def stream_events(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens, `RunFinished` last; leaving the iteration cancels the run.

        Raises:
            TypeError: The command is not an `AgentCommand`.
        """
        return self._events(self._profiles.accept(command), deps)

    def stream_documents(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        """As `stream_events`, JSON and YAML answers too.

        Raises:
            TypeError: The command is not an `AgentCommand`.
        """
        return self._events(self._profiles.accept(command), deps, streams_documents=True)

    async def _texts(self, command: AgentCommand, deps: Any) -> AsyncGenerator[str]:
        run = Run.of(command, EventChannel(), scopes=self._scopes, deps=deps)
        run.texts_only = True
        async with self._open(run) as channel:
            while (event := channel.poll() or await channel.get()) is not None:
                if isinstance(event, str):
                    yield event
                elif isinstance(event, RunFinished) and not event.result.success:
                    yield f"[error] {event.result.error_message}"

    async def _events(
        self, command: AgentCommand, deps: Any, *, streams_documents: bool = False
    ) -> AsyncGenerator[AgentEvent]:
        run = Run.of(command, EventChannel(), scopes=self._scopes, deps=deps)
        run.streams_documents = streams_documents
        async with self._open(run) as channel:
            while (event := channel.poll() or await channel.get()) is not None:
                assert not isinstance(event, str)
                yield event

    @asynccontextmanager
    async def _open(self, run: Run) -> AsyncIterator[EventChannel]:
        """Start a run; one whose events are not read to the end is cancelled and waited for."""
        channel = run.channel
        assert channel is not None
        task = self._start_run(run)
        try:
            yield channel
            await task
        finally:
            await _end_run(task, channel)

    async def _execute(self, run: Run) -> AgentResult:
        task = self._start_run(run)
        try:
            return await asyncio.shield(task)
        finally:
            await _end_run(task)

    async def _execute_inner(self, caller: Run, command: AgentCommand) -> AgentResult:
        """Run another agent below a run, whose reader gets its events, too."""
        channel = None if caller.texts_only else caller.channel
        accepted = self._profiles.accept(command)
        deps = caller.scope.context.deps
        run = Run.of(accepted, channel, scopes=self._scopes, deps=deps, caller=caller)
        run.streams_documents = True
        return await self._execute(run)

    def _start_run(self, run: Run) -> asyncio.Task[AgentResult]:
        run.start_inner = self._execute_inner
        task = asyncio.create_task(self._run(run), name=f"arc-run-{run.run_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _run(self, run: Run) -> AgentResult:
        context = run.hook_context
        more = {} if run.command.agent is None else {"agent": context.agent}
        if context.parent_run_id is not None:
            more["parent_run_id"] = context.parent_run_id
        bind_contextvars(
            run_id=context.run_id, user_id=context.user_id, session_id=context.session_id, **more
        )
        try:
            result = await self._run_to_result(run)
            await run.emit(RunFinished(result))
            return result
        finally:
            if run.channel is not None and run.caller is None:
                run.channel.close()

    async def _run_to_result(self, run: Run) -> AgentResult:
        try:
            if self._profiles.is_wired(run.command.agent):
                await self._begin(run)
            with contain():  # for what is not a component, such as validators of a schema
                limits = run.command.limits
                answer = await self._admission.run(
                    lambda: self._pipeline.answer(run),
                    deadline_s=None if limits is None else limits.deadline_s,
                    has_permit=run.caller is not None,
                )
            leave_if_cancelled()
            result = self._finisher.result_of(run, answer)
        except asyncio.CancelledError as cancellation:
            result = self._finisher.failure_of(run, cancellation)
            await finish_despite_cancellation(self._finisher.finish(run, result))
            raise
        except Exception as error:  # noqa: BLE001 -- failures are results
            result = self._finisher.failure_of(run, error)
        return await finish_despite_cancellation(self._finisher.finish(run, result))

    async def _begin(self, run: Run) -> None:
        """Find out who is in charge, and tell the caller of a stream."""
        asked = run.agent
        agent = asked if run.caller is not None else await self._in_charge.find(run)
        if agent != asked:
            run.put_in_charge(self._profiles.switch(run.command, agent))
            bind_contextvars(agent=agent)
        await run.emit(AgentStarted(agent, parent_run_id=run.hook_context.parent_run_id))


async def _end_run(task: asyncio.Task[AgentResult], channel: EventChannel | None = None) -> None:
    """Cancel a run whose caller has left before it, and wait for its end."""
    if not task.done():
        cancel(task)
    if channel is not None:  # only after that: a run with room for all would go on to its end
        task.get_loop().call_soon(channel.abandon)
    await wait_despite_cancellation(task)
