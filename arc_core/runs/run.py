"""One run, as everyone holds it: a program, a surface of the server, a command of `arc`."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Generic, Protocol, Self, cast

from arc_core.errors import ApplicationStateError
from arc_core.events import AgentEvent, TextDelta
from arc_core.requests import Answer, Approve, Deny, Request
from arc_core.result import AgentResult, OutputT
from arc_core.runs.callers import Caller
from arc_core.runs.partial_outputs import PartialAnswer


class EventSource(Protocol):
    """The events of a run: of one that lives only here, or of one that a store keeps.

    Attributes:
        run_id: The id by which the caller knows the run; empty until the run has one.
        readers: How many hold it in this process now.
    """

    run_id: str

    @property
    def readers(self) -> int:  # noqa: D102 -- an attribute of the class
        ...

    async def open(self) -> None:
        """Begin the run if it is new, and hold it."""
        ...

    async def aclose(self) -> None:
        """Let go of it; one that lives only here is cancelled, and has ended then."""
        ...

    def read(self, name: str, *, after: int | None) -> AsyncGenerator[AgentEvent]:
        """Its events from a number on, for the reading of a name."""
        ...

    async def wait_for_end(self) -> AgentResult[Any] | None:
        """Its result, once it has one; None if it was left before."""
        ...

    async def stop(self) -> bool:
        """Cancel it if it goes on only here; False leaves it to the store."""
        ...


class Run(Generic[OutputT]):
    """A run: read as text, as events, as values that grow, or to its result.

        async with app.stream("Hi") as run:
            async for text in run.text():
                print(text, end="")
            result = await run.result()

    The `async with` holds it: leaving cancels a run that lives only here, and waits for its end;
    one that a store keeps goes on. A failure is in the result and in none of the readings.

    Each reading of a run that lives only here may be made once, alone or at the same time as the
    others; one that begins late still gets everything, unless the run is hundreds of events ahead
    by then. That run waits for the slowest reader that has begun, unless `result()` was called.

    Args:
        source: Its events.
        decide: Takes its id, the key of a call, the decision, and who has decided.
        cancel: Takes its id.
        make_answer: Reads its answer while that grows; None if it has no output type.
    """

    def __init__(
        self,
        source: EventSource,
        *,
        decide: Callable[..., Awaitable[Request | None]],
        cancel: Callable[[str], Awaitable[None]],
        make_answer: Callable[[], PartialAnswer] | None = None,
    ) -> None:
        self._source, self._make_answer = source, make_answer
        self._decide, self._cancel = decide, cancel
        self._was_opened = False

    @property
    def id(self) -> str:
        """The id of the run; empty before its first event if it lives only here."""
        return self._source.run_id

    @property
    def readers(self) -> int:
        """The number of those who hold it in this process now."""
        return self._source.readers

    async def open(self) -> Self:
        """Hold the run until `aclose`, as `async with` does; a new one begins.

        Raises:
            ApplicationStateError: It was opened before.
        """
        if self._was_opened:
            raise ApplicationStateError(
                "this run has been started already", remedy="call app.stream(…) for each run"
            )
        self._was_opened = True
        await self._source.open()
        return self

    async def aclose(self) -> None:
        """Let go of the run."""
        await self._source.aclose()

    async def __aenter__(self) -> Self:
        """`open()`."""
        return await self.open()

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """`aclose()`."""
        await self.aclose()

    def events(self, *, after: int | None = None) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens, `RunFinished` last; runs of other agents in between.

        A run that waits for a person ends with a `RunFinished` whose result has `waiting`.

        Args:
            after: The last `seq` of the run that the reader has; 0 has none. None is what the run
                was asked for with.

        Raises:
            ApplicationStateError: They are read already, or the run is not started.
        """
        return self._read("events", after=after)

    def text(self) -> AsyncGenerator[str]:
        """The text of all turns, in pieces as the model produces it; no other run's.

        Raises:
            ApplicationStateError: As `events`.
        """
        return self._texts(self._read("text"))

    def partial_outputs(self) -> AsyncGenerator[OutputT]:
        """Values of the output type while the answer grows, each different from the one before.

        Each is valid as far as it goes: what is being written is cut, or left out if it is not
        valid yet, so that there is no value until the required fields are there. The last one is
        the `output` of the result; there is none if the run fails. A YAML answer has only that one.
        After a handoff they are of the type of the agent that answers, unless the caller named one.

        Raises:
            ApplicationStateError: As `events`, or the run has no output type.
        """
        if self._make_answer is None:
            raise ApplicationStateError(
                "partial_outputs() needs an output type",
                remedy="name it: app.stream(…, output=Invoice)",
            )
        return self._partial_outputs(self._make_answer(), self._read("partial_outputs"))

    async def result(self) -> AgentResult[OutputT]:
        """The result, once the run has ended; it has `waiting` if a person has to decide first.

        May be asked for again, and after the `async with`.

        Raises:
            ApplicationStateError: The run is not started, or was left before its end.
        """
        self._require_start()
        result = await self._source.wait_for_end()
        if result is None:
            raise ApplicationStateError(
                "the run was left before its end and has no result",
                remedy="await run.result() inside of `async with app.stream(…) as run:`",
            )
        return cast("AgentResult[OutputT]", result)

    async def decide(
        self, key: str, decision: Approve | Answer | Deny, *, by: str | Caller = ""
    ) -> Request | None:
        """Let a call that waits go on, or not; see `Runs.decide`."""
        return await self._decide(self.id, key, decision, by=by)

    async def cancel(self) -> None:
        """End the run, wherever it is; nothing happens to a finished one.

        Raises:
            UnknownRunError: There is no such run.
        """
        if not await self._source.stop():
            await self._cancel(self.id)

    def _read(self, name: str, *, after: int | None = None) -> AsyncGenerator[AgentEvent]:
        self._require_start()
        return self._source.read(name, after=after)

    def _require_start(self) -> None:
        if not self._was_opened:
            raise ApplicationStateError(
                "the run is not started",
                remedy="use it inside of `async with app.stream(…) as run:`",
            )

    async def _texts(self, reading: AsyncGenerator[AgentEvent]) -> AsyncGenerator[str]:
        async with aclosing(reading) as events:
            async for event in events:
                if isinstance(event, TextDelta) and event.run_id == self.id:
                    yield event.text

    async def _partial_outputs(
        self, answer: PartialAnswer, reading: AsyncGenerator[AgentEvent]
    ) -> AsyncGenerator[OutputT]:
        given: tuple[Any, ...] = ()
        async with aclosing(reading) as events:
            async for event in events:
                found = answer.read_from(event) if event.run_id == self.id else ()
                if found and found != given:
                    given = found
                    yield found[0]


RunHandle = Run
"""The name of the class in `arc_core`, where `Run` is a verdict of an `ApprovalPolicy`."""
