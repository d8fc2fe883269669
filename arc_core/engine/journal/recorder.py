"""The recorder of a run; this one is that of a run which nothing keeps."""

from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from arc_core.approvals import ApprovalRequest, Decision
from arc_core.command import AgentCommand
from arc_core.engine.journal.step_forms import RecordForm
from arc_core.events import AgentEvent, RunFinished
from arc_core.result import AgentResult
from arc_core.runs.journal import Place, RunSuspended

T = TypeVar("T")

_STEP: ContextVar[tuple[object, str] | None] = ContextVar("arc_step", default=None)


def current_step(run: object) -> str | None:
    """Return the step of a run that is being done here; None if it is another's, or none."""
    current = _STEP.get()
    return current[1] if current is not None and current[0] is run else None


@contextmanager
def doing_step(run: object, key: str) -> Iterator[None]:
    """Let what is called know which step of which run it is part of."""
    token = _STEP.set((run, key))
    try:
        yield
    finally:
        _STEP.reset(token)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierCall:
    """The record of a tool call, as earlier lives of its run have left it.

    Attributes:
        is_made: Whether it has ended.
        is_judged: Whether it was found out if a person is asked about it.
        is_told: Whether readers know of it, since a run below it goes on.
        times_begun: How often a tool was called that must not be called twice.
    """

    is_made: bool = False
    is_judged: bool = False
    is_told: bool = False
    times_begun: int = 0


NEW_CALL = EarlierCall()
"""A call of which nothing is recorded."""


def begun_key(index: int, attempt: int = 1) -> str:
    """Return the key of the note that a tool is called which must not be called twice.

    Args:
        index: The place of the call among all of the run.
        attempt: 1, and one more each time that a person has had it called again.
    """
    return f"tool/{index}/begun" if attempt == 1 else f"tool/{index}/begun/{attempt}"


class RecordedCall(Protocol):
    """A tool call on its way, as its turn keeps it."""

    index: int
    place: Place | None
    earlier: EarlierCall


class RunRecorder:
    """Takes the steps of a run; here each is just done, since nothing keeps the run.

    Attributes:
        is_kept: Whether steps are read from a journal in a later life of the run.
        is_ending: Whether this life only ends a run that was cancelled while no process had it.
        prefix: Before the keys of a run that another one has started, as `tool/3/`; else empty.
    """

    is_kept = False
    is_ending = False
    prefix = ""

    def step(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        form: RecordForm[Any],
        *,
        pack: Callable[[T], Any] | None = None,
        restore: Callable[[Any], Awaitable[T]] | None = None,
        place: Place | None = None,
    ) -> Awaitable[T]:
        """Take a step, once over all lives of the run.

        Args:
            key: Names it.
            work: Does it.
            form: Of its record.
            pack: Makes the record of what the work gives; None records that itself.
            restore: Makes of the record what the work would give, in a later life.
            place: If it runs at the same time as others.

        Raises:
            RunStoppedError: The step ends the run, in this life or in an earlier one.
            RunSuspended: The run is not to go on here.
            Exception: What the work raises.
        """
        return work()

    def goes_on_after(self, end: BaseException) -> bool:
        """Return True if what has ended the stages of the run here is not its end."""
        return isinstance(end, RunSuspended)

    async def find(self, key: str, form: RecordForm[Any]) -> object | None:
        """Return what a step gave in an earlier life, or None; nothing is restored."""
        return None

    async def begin_attempt(self, key: str) -> bool:
        """Note that something is begun; False if an earlier life may have done it."""
        return True

    async def begin_turn(self, calls: Sequence[RecordedCall], may_ask: Callable[[], bool]) -> None:
        """Keep places for the calls of a turn, and restore what earlier lives have recorded."""

    async def await_decision(self, key: str, request: ApprovalRequest) -> Decision:
        """Return the decision of people about a call; only a journal has any."""
        raise NotImplementedError

    def place_below(
        self, command: AgentCommand, step: str, call_index: int | None
    ) -> tuple[str, str | None]:
        """Return the place of a run that this one starts, and its id; None gives it a new one."""
        return "", None

    def add_below(self, below: Any, step: str, place: str) -> None:
        """Record a run that this one has started in a step."""

    def keep_so_far(self, result: AgentResult) -> None:
        """Keep what a run gives that waits for a person."""

    def finish(
        self,
        result: AgentResult,
        work: Callable[[], Coroutine[Any, Any, AgentResult]],
        leave: Callable[[], Awaitable[None]],
    ) -> Coroutine[Any, Any, AgentResult]:
        """Do what there is to do at the end of a run, or leave it if that was done before."""
        return work()

    def tell_end(
        self, result: AgentResult, emit: Callable[[AgentEvent], Awaitable[None]]
    ) -> Awaitable[None]:
        """Tell readers of the end, if that is not part of the step that finishes the run."""
        return emit(RunFinished(result))


NO_RECORDER = RunRecorder()
"""The recorder of all runs that nothing keeps; it has no state."""
