"""The record of a run while it goes on, so that it can go on elsewhere.

The engine passes each run through a few doors: `enter` (guards, start hooks, history, retrieval and
the selection of tools), `model/1`, `model/2` and so on, `tool/0`, `tool/1` and so on with their
hooks, and `finish`. Each is a step: what it gave is recorded under its key, and a run that is begun
again gets it from the record in the place of doing it again. `docs/durable-runs.md` has the layout.

A run that must stop here without an end raises `RunSuspended` through all of the engine: it waits
for a person, its process closes, or it goes on elsewhere already. It is not finished then, no hook
is told of an end, and nothing is added to its conversation.
"""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.requests import Decision, Request
from arc_core.result import AgentResult

T = TypeVar("T")

StepWork = Callable[[], Awaitable[T]]
"""Does a step."""

NumberedEvent = AgentEvent
"""An event with its `run_id` and its `seq`."""

LAYOUT = "arc-2"
"""The meaning of what steps record in this version."""

LAYOUTS = ("arc-1", LAYOUT)
"""The layouts that this version reads."""


class RunSuspended(BaseException):
    """The run leaves its process without an end.

    Attributes:
        requests: What people have to decide first; empty if it only goes on elsewhere.
        problem: What this process lacks to go on with the run, which is held then: the journals try
            it again later, here or elsewhere. Empty if nothing is missing.
    """

    def __init__(self, requests: Sequence[Request] = (), *, problem: str = "") -> None:
        super().__init__(problem or "the run goes on later or elsewhere")
        self.requests, self.problem = tuple(requests), problem


def join_suspensions(suspended: Sequence[RunSuspended]) -> RunSuspended:
    """Return the suspension of a run by several of its parts, with the requests of all."""
    problem = next((each.problem for each in suspended if each.problem), "")
    requests = [request for each in suspended for request in each.requests]
    return RunSuspended(requests, problem=problem)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a step among those of its run, kept before it begins."""

    key: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class RecordedPart:
    """A part of what models are asked that steps name by its digest.

    Attributes:
        digest: In hexadecimal figures; the same part of another run has the same one.
        text: The part, as JSON.
        parts: Those that the text itself names by their digests.
    """

    digest: str
    text: str
    parts: "tuple[RecordedPart, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The record of a run, as its store has it.

    Attributes:
        run_id: Its id.
        command: What was asked, before an agent has filled in anything.
        layout: The meaning of what the steps have recorded; runs of an earlier one name no parts.
        steps: What each step has recorded, as JSON, by their keys, in the order of their ends.
        parts: The texts of the parts that steps name, by their digests; in the text of all tools
            the digests of each.
        digest_key: The secret under which the digests were made: of the store, or of a file.
    """

    run_id: str
    command: AgentCommand
    layout: str
    steps: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    digest_key: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStep:
    """A step of a run that has ended and is not done again.

    Attributes:
        key: Its name, such as `model/1` or `tool/0`.
        ended_at: When it was recorded, in UTC.
    """

    key: str
    ended_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHistory:
    """The history of a run.

    Attributes:
        attempts: How often it was begun or taken up again.
        deaths: How many processes have died at the step at which it is.
        steps: Those that are recorded, in the order in which they ended.
    """

    attempts: int
    deaths: int
    steps: tuple[RecordedStep, ...]


class Form(Protocol[T]):
    """The JSON form of what a step gives."""

    def write(self, value: T) -> str:
        """The text that is recorded.

        Raises:
            FormError: The value has something that JSON cannot carry; names the place.
        """
        ...

    def read(self, text: str) -> T:
        """The value of a recorded text.

        Raises:
            FormError: The text is not what `write` has written.
        """
        ...


@runtime_checkable
class RunJournal(Protocol):
    """The record of one run, in one attempt at it.

    Attributes:
        run_id: The id of the run, in every attempt.
        attempt_id: Of this attempt; another one has another.
        deps: What the caller has handed to the run; None is nothing.
        last_seq: The highest `seq` of the run's events that earlier attempts have published; 0 if
            none.
        is_closing: Whether its process is closing, so that the run is to leave without an end also
            if it is cancelled.
        is_cancelled: Whether the run was cancelled while no process had it. This attempt only ends
            it: of the steps that are not recorded, it does `finish` alone.
        given_up_after: How often the process of the run has died since its last new step, if the
            run is given up for that; else 0. Such an attempt only ends it, too.
        worker: The process that makes the attempt, for people; empty if that is always the same.
        deaths: How often the process of the run has died since its last new step.
        is_wrapped: Whether a caller in another process waits for the run, and has passed what wraps
            the engine.
        digest_key: The secret of the store under which the engine makes digests of what models are
            asked, the same for all runs of the store; without one it makes none.
        finds_again: Whether `find_again` finds steps; if not, the engine keeps what it needs of
            them in memory.
    """

    run_id: str
    attempt_id: str
    deps: Any
    last_seq: int
    is_closing: bool
    is_cancelled: bool
    given_up_after: int = 0
    worker: str = ""
    deaths: int = 0
    is_wrapped: bool = False
    digest_key: bytes = b""
    finds_again: bool = False

    @abstractmethod
    async def get_last_seq(self, run_id: str) -> int:
        """The highest `seq` that earlier attempts have published of a run below; 0 if none.

        Args:
            run_id: Of a run that a tool call has started.
        """

    def reserve(self, key: str) -> Place:
        """Keep a place for a step that runs at the same time as others; the key, if not overridden.

        Called in the order of the calls, before the first of these steps begins.
        """
        return Place(key)

    @abstractmethod
    async def step(
        self, key: str, work: StepWork[T], *, form: Form[T], place: Place | None = None
    ) -> T:
        """Return what is recorded under the key; else do the work, and record what it gives first.

        Events that were published before the work has ended are kept with the record, or before it.

        Raises:
            RunSuspended: The run is not to go on here: the process closes, which is asked before
                the work begins, or another attempt has the run, and then nothing is recorded.
            Exception: What the work raises; nothing is recorded.
        """

    async def find_again(self, key: str, *, form: Form[T]) -> T | None:
        """Return what a step has given, in this attempt or in an earlier one; None if it has not.

        Asked only if `finds_again` is true, for a step that has ended.
        """
        return None

    @abstractmethod
    async def decision(self, key: str, request: Request) -> Decision:
        """Return the decision of a person; ask, if it was not asked yet under this key.

        Raises:
            RunSuspended: It is not decided yet.
        """

    @abstractmethod
    async def publish(self, event: NumberedEvent) -> None:
        """Keep an event for readers, in any process. May return before it is kept."""

    def keep_parts(self, parts: Sequence[RecordedPart]) -> None:
        """Keep parts with the next step that is recorded, which names them by their digests.

        A store has each text once, for as long as it has a run that names it. Does nothing unless
        it is implemented: of what was asked there are digests then, and no texts.
        """
        return

    def keep_so_far(self, result: AgentResult) -> None:
        """Keep what a run has when it begins to wait, until it goes on, for its readers.

        Called before the run leaves with `RunSuspended`; does nothing unless it is implemented.
        """
        return


RunBody = Callable[[AgentCommand, RunJournal], Awaitable[AgentResult]]
"""The engine's one way of running: from the first step that is not recorded to the result."""
