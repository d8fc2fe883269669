"""The recorder of a run; this one is that of a run which nothing keeps."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from arc_core.command import AgentCommand
from arc_core.engine.journal.records import RequestParts
from arc_core.engine.journal.step_forms import RecordForm
from arc_core.events import AgentEvent, RunFinished
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.requests import Decision, Request
from arc_core.result import AgentResult
from arc_core.runs.journal import Place, RunSuspended, StepWork

T = TypeVar("T")

_STEP: ContextVar[tuple[object, str] | None] = ContextVar("arc_step", default=None)


def current_step(run: object) -> str | None:
    """Return the step of a run that is being done here; None if it is another's, or none."""
    current = _STEP.get()
    return current[1] if current is not None and current[0] is run else None


START = "start"
"""In the key of a request that belongs to no tool call, in the place of the number of one."""


@dataclass(slots=True, eq=False)
class StepInProgress:
    """Lets what is called know which step of which run it is part of.

    No generator, which would cost more: a run enters it with each call of a tool.
    """

    run: object
    key: str
    _token: Token[tuple[object, str] | None] | None = None

    def __enter__(self) -> None:
        self._token = _STEP.set((self.run, self.key))

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        _STEP.reset(self._token)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierCall:
    """The record of a tool call, as earlier lives of its run have left it.

    Attributes:
        is_made: Whether it has ended.
        is_judged: Whether it was found out if a person is asked about it.
        is_told: Whether readers know of it, since a run below it goes on.
        times_begun: How often a tool was called that must not be called twice, and ended without a
            result or a question.
        attempts: How often it was called in all, as far as that is recorded.
        last_begun: The last attempt that ended without a result or a question; 0 if none did.
    """

    is_made: bool = False
    is_judged: bool = False
    is_told: bool = False
    times_begun: int = 0
    attempts: int = 0
    last_begun: int = 0


NEW_CALL = EarlierCall()
"""A call of which nothing is recorded."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The decision about a tool call.

    Attributes:
        denial: Why it is not made; None if it is.
        arguments: In the place of those that the model wrote, as JSON; None keeps these.
        decision: Of the person who was asked last; None if no one was.
        is_interrupted: Whether it is not made again, and may have been made before.
    """

    denial: str | None = None
    arguments: str | None = None
    decision: Decision | None = None
    is_interrupted: bool = False


def begun_key(index: int, attempt: int = 1) -> str:
    """Return the key of the note that a tool is called which must not be called twice.

    The attempts at a call count from 1: it is called again after each answer of a person.
    """
    return f"tool/{index}/begun" if attempt == 1 else f"tool/{index}/begun/{attempt}"


def note_key(index: int, number: int) -> str:
    """Return the key of a text that a tool call has remembered; see `question_key`."""
    return f"tool/{index}/note/{number}"


def question_key(index: int, number: int) -> str:
    """Return the key of a question of a tool call to the user, by its number from 1."""
    return f"ask/{index}/{number}"


def login_key(index: int, number: int) -> str:
    """Return the key of a login for which a tool call waits; see `question_key`."""
    return f"login/{index}/{number}"


def start_login_key(number: int) -> str:
    """Return the key of a login, from 1, for which a run waits before its agent can begin."""
    return f"login/{START}/{number}"


class RecordedCall(Protocol):
    """A tool call on its way, as its turn keeps it."""

    index: int
    place: Place | None
    earlier: EarlierCall


class RunRecorder:
    """Takes the steps of a run; here each is just done, since nothing keeps the run.

    Attributes:
        is_ending: Whether this life only ends a run that was cancelled while no process had it.
        finds_again: Whether `find_again` finds the steps that were taken.
        is_replaying: Whether the next step may be one of an earlier life.
        has_events: Whether earlier lives have told events, as one has that has asked for a login.
        prefix: Before the keys of a run that another one has started, as `tool/3/`; else empty.
    """

    has_events = False
    is_ending = False
    finds_again = False
    is_replaying = False
    prefix = ""

    def step(
        self, key: str, work: StepWork[T], form: RecordForm[Any], *, place: Place | None = None
    ) -> Awaitable[T]:
        """Take a step, once over all lives of the run.

        Args:
            key: Names it.
            work: Does it.
            form: Of its record, and how that is made of what the work gives.
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

    async def find_again(self, key: str, form: RecordForm[Any]) -> object | None:
        """Return what a step gave that has ended, in this life or in an earlier one, or None."""
        return None

    async def begin_attempt(self, key: str) -> bool:
        """Note that something is begun; False if an earlier life may have done it."""
        return True

    async def begin_turn(self, calls: Sequence[RecordedCall], may_ask: Callable[[], bool]) -> None:
        """Keep places for the calls of a turn, and restore what earlier lives have recorded."""

    async def settle(self, judge: Callable[[], Awaitable[Settled]]) -> Settled:
        """Decide about a call that may have to wait for a person, which only a journal lets it."""
        return Settled(denial="it may have to wait for a person, and this run cannot")

    async def await_decision(self, key: str, request: Request) -> Decision:
        """Return the decision of people about a call, or leave the run; only a journal has any."""
        raise NotImplementedError

    def get_shared_key(self, key: str) -> str:
        """Return the key by which identical runs share one answer.

        A recorded run shares none, since its look-up is recorded and cannot be another run's.
        """
        return key

    def place_below(
        self, command: AgentCommand, step: str, call_index: int | None
    ) -> tuple[str, str | None]:
        """Return the place of a run that this one starts, and its id; None gives it a new one."""
        return "", None

    def add_below(self, below: Any, step: str, place: str) -> None:
        """Record a run that this one has started in a step."""

    def name_wiring(self) -> str:
        """Return the digest of the components that take part; empty if none is recorded."""
        return ""

    def name_request(
        self, request: ChatRequest, *, history: int, encode: Callable[[ChatRequest], bytes]
    ) -> RequestParts | None:
        """Return the parts of what the model is asked, for its step; None if none is recorded.

        Args:
            request: As the model is asked.
            history: How many of its messages stand before the question.
            encode: Returns the bytes that the model would send; empty if it cannot tell.
        """
        return None

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
