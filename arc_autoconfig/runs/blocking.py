"""An application for code without an event loop of its own."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from functools import partial, wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, Unpack, cast, overload

from arc_autoconfig.errors import ApplicationStateError
from arc_autoconfig.runs.agent_application import AgentApplication
from arc_autoconfig.runs.loop_thread import LoopThread
from arc_autoconfig.runs.options import RunKeywords
from arc_autoconfig.runs.stream import RunStream
from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.result import AgentResult, OutputT

P = ParamSpec("P")
T = TypeVar("T")


def _waiting_for(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["BlockingApplication", P], T]:
    """Return the method of a blocking application that waits for one of the application."""
    name = method.__name__

    @wraps(method)
    def wait(blocking: "BlockingApplication", /, *args: P.args, **options: P.kwargs) -> T:
        return cast("T", blocking._wait(name, *args, **options))  # noqa: SLF001 -- its own

    wait.__doc__ = f"{(method.__doc__ or '').splitlines()[0]} See `Application.{name}`."
    return wait


class BlockingApplication:
    """An application whose methods wait instead of being awaited.

        with app.blocking() as blocking:
            result = blocking.execute("Hi", session_id="s")
            with blocking.stream("And now?", session_id="s") as run:
                for text in run.text():
                    print(text, end="")

    The application starts with the `with` and is closed with it, on an event loop of its own in a
    thread; several threads may use it at once. A caller that is interrupted cancels its run and
    waits for the end of it. What a caller does wrong, such as a second `with` at the same time or a
    use after the end, is an `ApplicationStateError`.

    Args:
        application: What starts and runs.
    """

    def __init__(self, application: AgentApplication) -> None:
        self._application = application
        self._thread: LoopThread | None = None

    def __enter__(self) -> Self:
        """Start the application.

        Raises:
            ConfigurationError: A component cannot be built or started.
            ApplicationStateError: It is started already.
        """
        if self._thread is not None:
            raise ApplicationStateError(
                "the application is already started", remedy="leave the other `with` first"
            )
        self._thread = LoopThread(self._application)
        try:
            self._thread.start()
        except BaseException:
            self._thread = None
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the application; runs of other threads are cancelled."""
        thread, self._thread = self._require_thread(), None
        thread.close()

    @overload
    def execute(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> AgentResult[T]: ...

    @overload
    def execute(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]: ...

    def execute(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Run to the end; see `Application.execute`.

        Raises:
            ValidationError: A keyword has a wrong value, or the type has no JSON Schema.
            ApplicationStateError: The application is not started, or is closed meanwhile.
        """
        return self._require_thread().call(
            lambda: self._application.execute(command, output=output, **options)
        )

    @overload
    def stream(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> "BlockingRunStream[T]": ...

    @overload
    def stream(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> "BlockingRunStream[Any]": ...

    def stream(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> "BlockingRunStream[Any]":
        """A run to read while it goes on: `with blocking.stream("Hi") as run:`.

        Raises:
            ValidationError: As `execute`.
            ApplicationStateError: As `execute`.
        """

        async def make() -> RunStream[Any]:
            return self._application.stream(command, output=output, **options)

        thread = self._require_thread()
        return BlockingRunStream(thread.call(make), thread)

    def execute_stream(self, command: AgentCommand | str, *, deps: object = None) -> Iterator[str]:
        """The text as the model produces it; a failure is a last piece `[error] <message>`."""

        async def make() -> AsyncGenerator[str]:
            return self._application.execute_stream(command, deps=deps)

        thread = self._require_thread()
        return thread.iterate(thread.call(make))

    def stream_events(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> Iterator[AgentEvent]:
        """Everything as it happens, `RunFinished` last; leaving the iteration cancels the run."""

        async def make() -> AsyncGenerator[AgentEvent]:
            return self._application.stream_events(command, deps=deps)

        thread = self._require_thread()
        return thread.iterate(thread.call(make))

    submit = _waiting_for(AgentApplication.submit)
    result = _waiting_for(AgentApplication.result)
    decide = _waiting_for(AgentApplication.decide)
    cancel = _waiting_for(AgentApplication.cancel)
    waiting = _waiting_for(AgentApplication.waiting)

    def attach(self, run_id: str, *, after: int = 0) -> "BlockingRunStream[Any]":
        """A run to read while it goes on, or afterwards; see `Application.attach`."""

        async def make() -> RunStream[Any]:
            return self._application.attach(run_id, after=after)

        thread = self._require_thread()
        return BlockingRunStream(thread.call(make), thread)

    def _wait(self, name: str, *args: Any, **options: Any) -> Any:
        work = partial(getattr(self._application, name), *args, **options)
        return self._require_thread().call(work)

    def _require_thread(self) -> LoopThread:
        if self._thread is None:
            raise ApplicationStateError(
                "the application is not started",
                remedy="use it inside of `with app.blocking() as blocking:`",
            )
        return self._thread


class BlockingRunStream(Generic[OutputT]):
    """One run, read as text, as events, as values that grow, or to its result; see `RunStream`."""

    def __init__(self, run: RunStream[OutputT], thread: LoopThread) -> None:
        self._run, self._thread = run, thread

    def __enter__(self) -> Self:
        """Start the run.

        Raises:
            ApplicationStateError: It was started before.
        """
        self._thread.call(self._run.__aenter__)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Cancel the run, unless it has ended, and wait for its end."""
        if self._thread.is_open:
            self._thread.call(lambda: self._run.__aexit__(kind, error, trace))

    def text(self) -> Iterator[str]:
        """The text of all turns, in pieces as the model produces it.

        Raises:
            ApplicationStateError: It is read already, or the stream is not entered.
        """
        return self._thread.iterate(cast("AsyncGenerator[str]", self._run.text()))

    def events(self) -> Iterator[AgentEvent]:
        """Everything as it happens, `RunFinished` last.

        Raises:
            ApplicationStateError: They are read already, or the stream is not entered.
        """
        return self._thread.iterate(cast("AsyncGenerator[AgentEvent]", self._run.events()))

    def partial_outputs(self) -> Iterator[OutputT]:
        """Values of the output type while the answer grows, the `output` of the result last.

        Raises:
            ApplicationStateError: As `RunStream.partial_outputs`.
        """
        return self._thread.iterate(cast("AsyncGenerator[OutputT]", self._run.partial_outputs()))

    def result(self) -> AgentResult[OutputT]:
        """The result, once the run has ended; may be asked for again.

        Raises:
            ApplicationStateError: The stream is not entered, or was left before the run's end.
        """
        return self._thread.call(self._run.result)
