"""An application for code without an event loop of its own."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar, Unpack, overload

from arc_autoconfig.errors import ApplicationStateError
from arc_autoconfig.runs.agent_application import AgentApplication
from arc_autoconfig.runs.loop_thread import LoopThread
from arc_autoconfig.runs.options import RunKeywords
from arc_core.command import AgentCommand
from arc_core.result import AgentResult, OutputT
from arc_core.runs.run import Run

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class OnThread(Protocol):
    """An object whose methods are those of another one, called on the thread of that."""

    def require_target(self) -> tuple[Any, LoopThread]:
        """Return the other one, and its thread."""
        ...


def _wait_for(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[OnThread, P], T]:
    """Return the method that waits for one of the target."""

    @wraps(method)
    def wait(self: OnThread, /, *args: P.args, **options: P.kwargs) -> T:
        target, thread = self.require_target()
        return thread.call(partial(method, target, *args, **options))

    return _explain(wait, method)


def _iterate(
    method: Callable[Concatenate[Any, P], AsyncGenerator[T]],
) -> Callable[Concatenate[OnThread, P], Iterator[T]]:
    """Return the method that reads what one of the target gives."""

    @wraps(method)
    def iterate(self: OnThread, /, *args: P.args, **options: P.kwargs) -> Iterator[T]:
        target, thread = self.require_target()
        return thread.iterate(_make_there(thread, partial(method, target, *args, **options)))

    return _explain(iterate, method)


def _read_run(
    method: Callable[Concatenate[Any, P], Run[T]],
) -> "Callable[Concatenate[OnThread, P], BlockingRunStream[T]]":
    """Return the method that gives a run of the target."""

    @wraps(method)
    def read(self: OnThread, /, *args: P.args, **options: P.kwargs) -> "BlockingRunStream[T]":
        target, thread = self.require_target()
        run = _make_there(thread, partial(method, target, *args, **options))
        return BlockingRunStream(run, thread)

    return _explain(read, method)


def _make_there(thread: LoopThread, make: Callable[[], T]) -> T:
    """Return what is made on a thread, whose event loop it belongs to."""

    async def call() -> T:
        return make()

    return thread.call(call)


def _explain(wrapper: F, method: Callable[..., Any]) -> F:
    owner = method.__qualname__.partition(".")[0].replace("AgentCommands", "Application")
    owner = owner.replace("AgentApplication", "Application")
    first = (method.__doc__ or "").splitlines()[0]
    wrapper.__doc__ = f"{first} See `{owner}.{method.__name__}`."
    return wrapper


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

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
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
        thread = self._require_thread()
        make = partial(self._application.stream, command, output=output, **options)
        return BlockingRunStream(_make_there(thread, make), thread)

    execute_stream = _iterate(AgentApplication.execute_stream)
    stream_events = _iterate(AgentApplication.stream_events)
    submit = _wait_for(AgentApplication.submit)
    attach = _read_run(AgentApplication.attach)
    fork = _read_run(AgentApplication.fork)
    result = _wait_for(AgentApplication.result)
    decide = _wait_for(AgentApplication.decide)
    cancel = _wait_for(AgentApplication.cancel)
    waiting = _wait_for(AgentApplication.waiting)

    def require_target(self) -> tuple[AgentApplication, LoopThread]:
        """Return the application, and its thread.

        Raises:
            ApplicationStateError: It is not started.
        """
        return self._application, self._require_thread()

    def _require_thread(self) -> LoopThread:
        if self._thread is None:
            raise ApplicationStateError(
                "the application is not started",
                remedy="use it inside of `with app.blocking() as blocking:`",
            )
        return self._thread


class BlockingRunStream(Generic[OutputT]):
    """A run, read as text, as events, as values that grow, or to its result; see `Run`.

    Attributes:
        result: Waits for the result; see `Run.result`.
    """

    def __init__(self, run: Run[OutputT], thread: LoopThread) -> None:
        self._run, self._thread = run, thread
        self.result: Callable[[], AgentResult[OutputT]] = partial(thread.call, run.result)

    def __enter__(self) -> Self:
        """Start the run.

        Raises:
            ApplicationStateError: It was started before.
        """
        self._thread.call(self._run.open)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Let go of the run, which ends if it lives only here."""
        if self._thread.is_open:
            self._thread.call(self._run.aclose)

    def partial_outputs(self) -> Iterator[OutputT]:
        """Values of the output type while the answer grows. See `Run.partial_outputs`."""
        return self._thread.iterate(_make_there(self._thread, self._run.partial_outputs))

    text = _iterate(Run[OutputT].text)
    events = _iterate(Run[OutputT].events)
    decide = _wait_for(Run[OutputT].decide)
    cancel = _wait_for(Run[OutputT].cancel)

    def require_target(self) -> tuple[Run[OutputT], LoopThread]:
        """Return the run, and its thread."""
        return self._run, self._thread
