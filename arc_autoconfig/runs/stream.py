"""A run that a caller reads while it goes on."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Any, Generic, Self, cast

from arc_autoconfig.errors import ApplicationStateError
from arc_autoconfig.runs.event_log import BeginningLostError, EventLog
from arc_autoconfig.runs.partial_outputs import PartialAnswer
from arc_core.command import AgentCommand
from arc_core.events import AgentEvent, RunFinished, TextDelta
from arc_core.result import AgentResult, OutputT
from arc_core.timing.cancellation import wait_despite_cancellation


class RunStream(Generic[OutputT]):
    """One run, read as text, as events, as values that grow, or to its result.

        async with app.stream("Hi") as run:
            async for text in run.text():
                print(text, end="")
            result = await run.result()

    Each reading may be made once, alone or at the same time as the others; one that begins late
    still gets everything, unless the run is hundreds of events ahead by then. The run waits for the
    slowest reader that has begun, unless `result()` was called. A failure is in the result and in
    none of the readings. Leaving the `async with` early cancels the run and waits for its end.

    Args:
        events: Of the run, which begins when they are first asked for.
        command: Of the run; None if its reader has not asked for it.
        run_id: Of the run; None takes that of the first event.
        output_by: As `PartialAnswer` takes it.
        deps: Those of the run.
    """

    def __init__(
        self,
        events: AsyncGenerator[AgentEvent],
        command: AgentCommand | None = None,
        *,
        run_id: str | None = None,
        output_by: Callable[[str], Any] | None = None,
        deps: object = None,
    ) -> None:
        self._source, self._command = events, command
        self._output_by, self._deps = output_by, deps
        self._log = EventLog()
        self._pump: asyncio.Task[None] | None = None
        self._run_id = run_id
        self._result: AgentResult[Any] | None = None
        self._made: set[str] = set()

    async def __aenter__(self) -> Self:
        """Start the run.

        Raises:
            ApplicationStateError: It was started before.
        """
        if self._pump is not None:
            raise ApplicationStateError(
                "this run has been started already", remedy="call app.stream(…) for each run"
            )
        self._pump = asyncio.create_task(self._fill_log(), name="arc-run-stream")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Cancel the run, unless it has ended, and wait for its end."""
        assert self._pump is not None
        self._pump.cancel()
        try:
            await wait_despite_cancellation(self._pump)
        finally:
            self._log.close()  # a task that is cancelled before its first step does not

    def text(self) -> AsyncIterator[str]:
        """The text of all turns, in pieces as the model produces it; no other run's.

        Raises:
            ApplicationStateError: It is read already, or the stream is not entered.
        """
        return self._texts(self._read_once("text"))

    def events(self) -> AsyncIterator[AgentEvent]:
        """Everything as it happens, `RunFinished` last; runs of other agents in between.

        Raises:
            ApplicationStateError: They are read already, or the stream is not entered.
        """
        return self._read_once("events")

    def partial_outputs(self) -> AsyncIterator[OutputT]:
        """Values of the output type while the answer grows, each different from the one before.

        Each is valid as far as it goes: what is being written is cut, or left out if it is not
        valid yet, so that there is no value until the required fields are there. The last one is
        the `output` of the result; there is none if the run fails. A YAML answer has only that one.
        After a handoff they are of the type of the agent that answers, unless the caller named one.

        Raises:
            ApplicationStateError: They are read already, the stream is not entered, or the run has
                no output type.
        """
        command = self._command
        if command is None or isinstance(command.response_schema, Mapping | None):
            raise ApplicationStateError(
                "partial_outputs() needs an output type",
                remedy="name it: app.stream(…, output=Invoice)",
            )
        return self._partial_outputs(command, self._read_once("partial_outputs"))

    async def result(self) -> AgentResult[OutputT]:
        """The result, once the run has ended; may be asked for again, and after the `async with`.

        Raises:
            ApplicationStateError: The stream is not entered, or was left before the run's end.
        """
        self._check_entered()
        self._log.lift_bound()
        await self._log.wait_closed()
        if self._result is None:
            raise ApplicationStateError(
                "the run was left before its end and has no result",
                remedy="await run.result() inside of `async with app.stream(…) as run:`",
            )
        return cast("AgentResult[OutputT]", self._result)

    async def _fill_log(self) -> None:
        failure: Exception | None = None
        try:
            async with aclosing(self._source) as events:
                async for event in events:
                    if self._run_id is None:  # before it has started any other run
                        self._run_id = event.run_id
                    if isinstance(event, RunFinished) and event.run_id == self._run_id:
                        self._result = event.result
                    await self._log.put(event)
        except Exception as error:  # noqa: BLE001 -- who reads raises it
            failure = error
        finally:
            self._log.close(failure)

    def _check_entered(self) -> None:
        if self._pump is None:
            raise ApplicationStateError(
                "the run is not started",
                remedy="use it inside of `async with app.stream(…) as run:`",
            )

    def _read_once(self, name: str) -> AsyncGenerator[AgentEvent]:
        self._check_entered()
        if name in self._made:
            raise ApplicationStateError(
                f"{name}() of this run is read already",
                remedy="keep what the first reading gave; each may be made once",
            )
        self._made.add(name)
        return self._read(name)

    async def _read(self, name: str) -> AsyncGenerator[AgentEvent]:
        try:
            async with aclosing(self._log.read()) as events:
                async for event in events:
                    yield event
        except BeginningLostError as error:
            raise ApplicationStateError(
                f"{name}() of this run was begun too late, its first events are no longer kept",
                remedy="begin all readings before one of them is hundreds of events ahead",
            ) from error

    async def _texts(self, reading: AsyncGenerator[AgentEvent]) -> AsyncGenerator[str]:
        async with aclosing(reading) as events:
            async for event in events:
                if isinstance(event, TextDelta) and event.run_id == self._run_id:
                    yield event.text

    async def _partial_outputs(
        self, command: AgentCommand, reading: AsyncGenerator[AgentEvent]
    ) -> AsyncGenerator[OutputT]:
        answer = PartialAnswer(command, self._output_by, deps=self._deps)
        given: tuple[Any, ...] = ()
        async with aclosing(reading) as events:
            async for event in events:
                found = answer.read_from(event) if event.run_id == self._run_id else ()
                if found and found != given:
                    given = found
                    yield found[0]
