"""The parts of an application that its commands need, on the event loop of its start."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from types import AsyncGeneratorType
from typing import Any, TypeVar
from weakref import WeakSet

from arc_autoconfig.errors import ApplicationStateError, ComponentError, UnknownNameError
from arc_autoconfig.runs.options import command_of, deps_for
from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.command import AgentCommand
from arc_core.engine.journal.journal_channel import record_run
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.agent_executor import AgentExecutor, RecordsRuns
from arc_core.result import AgentResult
from arc_core.runs.journal import RunJournal
from arc_core.runs.runs import Runs
from arc_core.runs.store import RunStore


class WiredAgents:
    """The agents of an application, by their names."""

    def __init__(self, agents: Iterable[Agent]) -> None:
        self._agents = {agent.name: agent for agent in agents}

    @property
    def names(self) -> Sequence[str]:
        """The names that a command may have, that of the default agent first."""
        return tuple(dict.fromkeys([DEFAULT_AGENT, *self._agents]))

    def check(self, asked: Agent | str) -> None:
        """Check that there is an agent of a name, or an agent itself, not its namesake."""
        name = asked if isinstance(asked, str) else asked.name
        wired = self._agents.get(name)
        if wired is None and (name != DEFAULT_AGENT or isinstance(asked, Agent)):
            raise UnknownNameError(setting="app.agent", name=name, known=self.names)
        if isinstance(asked, Agent) and asked != wired:
            raise ComponentError(
                f"another agent is wired under the name {name!r} than the one asked for",
                evidence=["an agent runs only if it is wired"],
                remedy="register it, as in Application(register=[refunds]), or ask by the name",
            )

    def with_output(self, command: AgentCommand) -> AgentCommand:
        """The command with the output type of its agent, if it has none of its own."""
        agent = self._agents.get(command.agent or DEFAULT_AGENT) if self._agents else None
        if agent is None or agent.output is None or command.response_schema is not None:
            return command
        return command_of(command, output=agent.output)

    def get_output(self, command: AgentCommand, answering: str) -> Any:
        """Return the type of an answer of an agent, which may have taken over; None for a text."""
        asked = self._agents.get(command.agent or DEFAULT_AGENT)
        if asked is None or command.response_schema is not asked.output:
            return command.response_schema
        agent = self._agents.get(answering)
        return None if agent is None else agent.output


T = TypeVar("T")


class HomeLoop:
    """Remembers the event loop of the start, to which locks belong, and refuses others."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._streams = WeakSet[AsyncGeneratorType[Any, None]]()

    def enter(self) -> None:
        """From now on, only the running event loop will do."""
        self._loop = asyncio.get_running_loop()

    def leave(self) -> None:
        """From now on, every event loop will do."""
        self._loop = None

    def check(self) -> None:
        """Raise an `ApplicationStateError` on another event loop than the one entered."""
        if self._loop is not None and self._loop is not asyncio.get_running_loop():
            raise ApplicationStateError(
                "the application was started on another event loop",
                evidence=["its locks, permits and connections belong to that loop"],
                remedy="use and close it on the loop that started it, or make another Application",
            )

    def keep(self, stream: AsyncGenerator[T]) -> AsyncGenerator[T]:
        """The stream, which is closed with the application, and read on its event loop alone."""
        if is_in_event_loop():
            self.check()
        else:
            stream = self._read_at_home(stream)
        if isinstance(stream, AsyncGeneratorType):
            self._streams.add(stream)
        return stream

    async def close_streams(self) -> None:
        """Close what is not read any more; event loops cannot, as streams are nested."""
        for stream in tuple(self._streams):
            if not stream.ag_running:
                await stream.aclose()

    async def _read_at_home(self, stream: AsyncGenerator[T]) -> AsyncGenerator[T]:
        self.check()
        async with aclosing(stream):
            async for each in stream:
                yield each


@dataclass(slots=True, eq=False)
class StartedParts:
    """The parts that run commands from the start of an application to its end."""

    home: HomeLoop = field(default_factory=HomeLoop)
    executor: AgentExecutor | None = None
    agents: WiredAgents | None = None
    runs: Runs | None = None

    def require_executor(self) -> AgentExecutor:
        """Return the agent executor; an `ApplicationStateError` before the start."""
        if self.executor is None:
            raise _not_started_error()
        return self.executor

    def require_runs(self) -> Runs:
        """Return the runs; an `ApplicationStateError` before the start, or on another loop."""
        if self.runs is None:
            raise _not_started_error()
        if is_in_event_loop():
            self.home.check()
        return self.runs

    def forget(self) -> None:
        """The application is closed: there is nothing to run commands."""
        self.executor, self.agents, self.runs = None, None, None
        self.home.leave()


def is_in_event_loop() -> bool:
    """Return whether an event loop is running in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _not_started_error() -> ApplicationStateError:
    """Return the error of a caller that uses an application before its start, or after its end."""
    return ApplicationStateError(
        "the application is not started",
        remedy="use it inside `async with app:`, or call app.run(…) in a script",
    )


class RunBodies:
    """Brings the runs of journals to the executor that is wired.

    An engine among the components that the executor wraps records the steps of runs; without one, a
    run whose process dies begins again.
    """

    def __init__(
        self, executor: AgentExecutor, journals: RunStore, *, components: Sequence[object]
    ) -> None:
        self._executor, self._journals = executor, journals
        engines = (each for each in components if isinstance(each, RecordsRuns))
        self._engine = next(engines, None)
        self._is_bare = id(self._engine) == id(executor)

    async def start(self) -> None:
        """Have the journals begin, or go on with, what they keep."""
        await self._journals.start(self._run)

    async def aclose(self) -> None:
        """Have the journals let go of their runs, while the executor can still end them."""
        await self._journals.aclose()

    async def _run(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        is_to_end, engine = journal.is_cancelled or journal.given_up_after > 0, self._engine
        if engine is not None and (
            self._is_bare
            # What wraps the engine is around it already, as its caller is here.
            or engine.is_asked(journal.run_id)
            or journal.is_wrapped
            # There is nothing to check and to do but the end.
            or is_to_end
        ):
            return await engine.run_kept(command, journal)
        if is_to_end:
            code = AgentErrorCode.CANCELLED if journal.is_cancelled else AgentErrorCode.UNKNOWN
            return AgentResult(success=False, error_code=code, run_id=journal.run_id)
        stream = self._executor.stream_events
        given = deps_for(stream, journal.deps)
        return await record_run(partial(stream, **given), command, journal)
