"""The state of a stream handle: the assembled deltas, and the end of the stream."""

import logging
import threading
from collections.abc import Callable
from enum import Enum, auto
from typing import Generic, TypeVar

from arc_core.assembly.assembler import Assembler
from arc_core.assembly.errors import AssemblyError, ListenerError
from arc_core.assembly.handle.listener import Deliveries, Latch

T = TypeVar("T")
R = TypeVar("R")


class StreamState(Enum):
    """One of the three ends, or none yet; a stream that has one keeps it."""

    OPEN = auto()
    COMPLETED = auto()
    FAILED = auto()
    CANCELLED = auto()


_LAST_CALLS = {
    StreamState.COMPLETED: "on_complete",
    StreamState.FAILED: "on_error",
    StreamState.CANCELLED: "on_cancel",
}
_log = logging.getLogger("arc.assembly")


class DeltaReader:
    """One that iterates over the deltas of a stream, and how many it has seen."""

    __slots__ = ("place",)

    def __init__(self) -> None:
        self.place = 0


class AssembledStream(Generic[T, R]):
    """Takes deltas until it is settled, and ends once.

    The assembler is called under a lock, the listener outside of it. A delta is assembled, and then
    the listener is told. To end, the stream is settled first, which decides how; then its source is
    closed; then it is finished, which builds the result and makes the listener's last call. `stop`
    is called once it is settled from outside, and has to bring about `finish`.
    """

    def __init__(self, *, assembler: Assembler[T, R], listener: object, keep_deltas: bool) -> None:
        self.state = StreamState.OPEN
        self.error: BaseException | None = None
        self.failures: tuple[BaseException, ...] = ()
        self.stop: Callable[[], object] = self.finish
        self.ended = Latch()
        self._assembler = assembler
        self._deliveries = Deliveries(listener)
        self._lock = threading.RLock()
        self._keeps_deltas = keep_deltas
        self._deltas: list[T] = []  # all, or those that a reader has not seen
        self._forgotten = 0
        self._readers: list[DeltaReader] = []
        self._progress: Latch | None = None
        self._is_finished = False
        self._result: list[R] = []  # at most one

    @property
    def is_open(self) -> bool:
        """True if it takes deltas."""
        return self.state is StreamState.OPEN

    def accept(self, delta: T) -> Latch | None:
        """Assemble a delta; return what is set once the listener has returned, None at the end."""
        with self._lock:
            if not self.is_open:
                return None
            told = self._assemble(delta)
        self._deliveries.deliver()
        return told

    def _assemble(self, delta: T) -> Latch:
        try:
            self._assembler.apply_delta(delta)
        except Exception as error:  # noqa: BLE001 -- any assembler may be passed
            self.end(StreamState.FAILED, _assembly_error(error, self._assembler))
            return _NOTHING_TO_TELL
        if self._keeps_deltas or self._readers:
            self._deltas.append(delta)
        else:
            self._forgotten += 1
        self._wake_readers()
        if not self._deliveries.wants("on_next"):
            return _NOTHING_TO_TELL
        return self._deliveries.enqueue("on_next", delta, then=self._after_next)

    def _after_next(self, error: BaseException | None) -> None:
        if error is None:
            return
        failure = _listener_error("on_next", error)
        if self.settle(StreamState.FAILED, failure):
            self._deliveries.drop()
            self.stop()
        else:
            self._attach(failure)

    def end(self, state: StreamState, error: BaseException | None = None) -> bool:
        """Settle it and bring about its end; False when it has ended another way."""
        settled = self.settle(state, error)
        if settled:
            self.stop()
        return settled

    def settle(self, state: StreamState, error: BaseException | None = None) -> bool:
        """Decide how it ends; False when that has been decided."""
        with self._lock:
            if not self.is_open:
                return False
            self.state, self.error = state, error
            return True

    def finish(self, failure: BaseException | None = None) -> Latch:
        """Build the result and make the listener's last call; a second time does nothing."""
        with self._lock:
            if not self._is_finished:
                self._is_finished = True
                if failure is not None:
                    self._attach(failure)
                self._build()
                self._enqueue_last_call()
        self._deliveries.deliver()
        return self.ended

    def _build(self) -> None:
        try:
            self._result.append(self._assembler.build())
        except Exception as error:  # noqa: BLE001 -- any assembler may be passed
            self._fail_late(_assembly_error(error, self._assembler))

    def _enqueue_last_call(self) -> None:
        def then(error: BaseException | None) -> None:
            with self._lock:
                if error is not None:
                    self._fail_late(_listener_error(method, error))
                self.ended.set()
                self._wake_readers()

        method = _LAST_CALLS[self.state]
        arguments = (self.error,) if self.state is StreamState.FAILED else ()
        self._deliveries.enqueue(method, *arguments, then=then)

    def _fail_late(self, error: AssemblyError | ListenerError) -> None:
        """An error while ending is the stream's own only if there is no other."""
        if self.error is not None:
            self._attach(error)
            return
        self.error = error
        if self.state is StreamState.COMPLETED:
            self.state = StreamState.FAILED

    def _attach(self, failure: BaseException) -> None:
        self.failures = (*self.failures, failure)
        if self.error is not None:
            self.error.add_note(f"while the stream was ending: {failure!r}")
        else:
            _log.warning("a failure while a stream was ending", exc_info=failure)

    def build(self) -> R:
        """The result, or what has arrived so far; raises the reason if it cannot be built."""
        with self._lock:
            if self._result:
                return self._result[0]
            if self._is_finished and self.error is not None:
                raise self.error
            return self._assembler.build()

    def open_reader(self) -> DeltaReader:
        """Return a reader that sees all deltas, as long as all are kept; to be closed."""
        with self._lock:
            if self._forgotten:
                raise RuntimeError(
                    f"{self._forgotten} deltas of this stream are not kept any more: pass "
                    "keep_deltas=True, or begin to iterate before the first one"
                )
            reader = DeltaReader()
            self._readers.append(reader)
            return reader

    def read(self, reader: DeltaReader) -> tuple[list[T], Latch | None]:
        """The deltas that a reader has not seen.

        Returns:
            The deltas; and what is set when there are more, or None when those were the last.
        """
        with self._lock:
            deltas = self._deltas[reader.place - self._forgotten :]
            reader.place += len(deltas)
            self._forget_seen()
            if self.ended.is_set:
                return deltas, None
            if self._progress is None:
                self._progress = Latch()
            return deltas, self._progress

    def close_reader(self, reader: DeltaReader) -> None:
        """Keep nothing for a reader any more."""
        with self._lock:
            self._readers.remove(reader)
            self._forget_seen()

    def _forget_seen(self) -> None:
        if self._keeps_deltas:
            return
        told = self._forgotten + len(self._deltas)
        seen = min((each.place for each in self._readers), default=told)
        del self._deltas[: seen - self._forgotten]
        self._forgotten = seen

    def _wake_readers(self) -> None:
        if self._progress is not None:
            self._progress.set()
            self._progress = None


_NOTHING_TO_TELL = Latch()
_NOTHING_TO_TELL.set()


def _assembly_error(error: Exception, assembler: object) -> AssemblyError:
    if isinstance(error, AssemblyError):
        return error
    wrapped = AssemblyError(
        class_name=type(assembler).__name__,
        problem=f"the assembler raised {type(error).__name__}",
        remedy="See the cause.",
    )
    wrapped.__cause__ = error
    return wrapped


def _listener_error(method: str, error: BaseException) -> ListenerError:
    wrapped = ListenerError(method=method)
    wrapped.__cause__ = error
    return wrapped
