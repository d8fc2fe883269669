"""Where a run is written down while it goes on, so that it can go on elsewhere.

The engine passes each run through a few doors: `enter` (guards, start hooks, history, retrieval and
the selection of tools), `model/1`, `model/2` and so on, `tool/0`, `tool/1` and so on with their
hooks, and `finish`. Each is a step: what it gave is recorded under its key, and a run that is begun
again gets it from the record in the place of doing it again. `docs/durable-runs.md` has the layout.

A run that must stop here without an end raises `RunSuspended` through all of the engine: it waits
for a person, its process closes, or it goes on elsewhere already. It is not finished then, no hook
is told of an end, and nothing is added to its conversation.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, TypeVar, runtime_checkable

from arc_core.approvals import ApprovalRequest, Decision
from arc_core.command import AgentCommand
from arc_core.components.extension_points import slot
from arc_core.events import AgentEvent
from arc_core.result import AgentResult

__all__ = [
    "BeginsRuns",
    "Form",
    "KeepsSoFar",
    "NumberedEvent",
    "Place",
    "RunBody",
    "RunJournal",
    "RunJournals",
    "RunState",
    "RunSuspended",
    "RunsInPlace",
    "Waiting",
]

T = TypeVar("T")

NumberedEvent = AgentEvent
"""An event with its `run_id` and its `seq`."""


class RunSuspended(BaseException):
    """The run leaves its process without an end.

    Attributes:
        requests: What people have to decide first; empty if it only goes on elsewhere.
        problem: What this process lacks to go on with the run, which is held then: the journals try
            it again later, here or elsewhere. Empty if nothing is missing.
    """

    def __init__(self, requests: Sequence[ApprovalRequest] = (), *, problem: str = "") -> None:
        super().__init__(problem or "the run goes on later or elsewhere")
        self.requests, self.problem = tuple(requests), problem


class RunState(StrEnum):
    """Where a run is."""

    QUEUED = "queued"
    """No worker has taken it."""

    RUNNING = "running"
    """A worker has it, or had it when its process died."""

    WAITING = "waiting"
    """A person has to decide."""

    HELD = "held"
    """What it needs to go on is not deployed any more, such as its agent or a tool."""

    INCOMPATIBLE = "incompatible"
    """It was begun by a version of Arc with another layout, and is left as it is."""

    FINISHED = "finished"
    """It has a result, which may be a failure; lists say so, and `result` gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A run that has no result yet.

    Attributes:
        run_id: Its id.
        state: Where it is.
        requests: What people have to decide, oldest first.
        so_far: What a run that waits had when it began to: the agent, usage, time, messages. None
            if it does not wait, or if its journals do not keep that.
        problem: Why it is held; empty if it is not.
    """

    run_id: str
    state: RunState
    requests: tuple[ApprovalRequest, ...] = ()
    problem: str = ""
    so_far: AgentResult | None = field(default=None, compare=False)

    @property
    def result(self) -> AgentResult:
        """The result of a run that waits, as `execute` gives it."""
        found = self.so_far or AgentResult(success=False, run_id=self.run_id)
        return replace(found, waiting=self.requests)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a step among those of its run, kept before it begins."""

    key: str
    number: int = 0


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
        life: Of this attempt; another one has another.
        deps: What the caller has handed to the run; None is nothing.
        told: The highest `seq` of the run's events that earlier attempts have published; 0 if none.
        lets_go: Whether its process is closing, so that the run is to leave without an end also if
            it is cancelled.
        is_cancelled: Whether the run was cancelled while no process had it. This attempt only ends
            it: of the steps that are not recorded, it does `finish` alone.
        given_up_after: How often the process of the run has died since its last new step, if the
            run is given up for that; else 0. Such an attempt only ends it, too.
    """

    run_id: str
    life: str
    deps: Any
    told: int
    lets_go: bool
    is_cancelled: bool
    given_up_after: int = 0

    @abstractmethod
    async def told_by(self, run_id: str) -> int:
        """The highest `seq` that earlier attempts have published of a run below; 0 if none.

        Args:
            run_id: Of a run that a tool call has started.
        """
        ...

    @abstractmethod
    def reserve(self, key: str) -> Place:
        """Keep a place for a step that runs at the same time as others.

        Called in the order of the calls, before the first of these steps begins.
        """
        ...

    @abstractmethod
    async def step(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        *,
        form: Form[T],
        place: Place | None = None,
    ) -> T:
        """What is recorded under the key; else what the work gives, recorded before it is returned.

        Events that were published before the work has ended are kept with the record, or before it.

        Raises:
            RunSuspended: The run is not to go on here: the process closes, which is asked before
                the work begins, or another attempt has the run, and then nothing is recorded.
            Exception: What the work raises; nothing is recorded.
        """
        ...

    @abstractmethod
    async def decision(self, key: str, request: ApprovalRequest) -> Decision:
        """What a person has decided; asks if it was not asked yet under this key.

        Raises:
            RunSuspended: It is not decided yet.
        """
        ...

    @abstractmethod
    async def publish(self, event: NumberedEvent) -> None:
        """Keep an event for readers, in any process. May return before it is kept."""
        ...


@runtime_checkable
class KeepsSoFar(Protocol):
    """A journal that keeps what a run has when it begins to wait, for who reads it meanwhile."""

    @abstractmethod
    def keep_so_far(self, result: AgentResult) -> None:
        """Keep it until the run goes on; called before the run leaves with `RunSuspended`."""
        ...


RunBody = Callable[[AgentCommand, RunJournal], Awaitable[AgentResult]]
"""The engine's one way of running: from the first step that is not recorded to the result."""


@slot("run_journals", group="arc.run_journals")
@runtime_checkable
class RunJournals(Protocol):
    """Keeps the runs of an application, and brings them to their ends.

    Every method may raise an `OSError`, a `TimeoutError` or an error of its own if the database is
    away in which it keeps the runs.
    """

    @abstractmethod
    async def start(self, body: RunBody) -> None:
        """Take runs from now on. The engine calls it once it can run them.

        Raises:
            ConfigurationError: It cannot.
        """
        ...

    @abstractmethod
    async def aclose(self) -> None:
        """Let go: take no new runs, let steps end, leave the rest to others. Cancels no run."""
        ...

    @abstractmethod
    async def submit(
        self,
        command: AgentCommand,
        *,
        run_id: str,
        deps: Any = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> None:
        """Have a command run, here or elsewhere. The same one twice is one run.

        Args:
            command: What is asked.
            run_id: The id of the run.
            deps: As for `execute`.
            queue: Who is to run it; None is `default`.
            not_before: When it may begin, with a time zone; None is at once.

        Raises:
            FormError: The command or the deps have something that cannot be kept.
            RunConflictError: There is a run of this id with another command.
            ConfigurationError: There is no such queue.
        """
        ...

    @abstractmethod
    async def result(self, run_id: str) -> AgentResult | Waiting:
        """The end of a run, or where it is. Does not wait.

        Raises:
            UnknownRunError: There is no such run.
        """
        ...

    @abstractmethod
    def events(self, run_id: str, *, after: int = 0) -> AsyncGenerator[NumberedEvent]:
        """The events of a run from one on, and those of the runs below it, as they come.

        Ends after `RunFinished`, and for a run that waits for a person after what there is.

        Args:
            run_id: The id of the run.
            after: The last `seq` of the run that the reader has; 0 has none.

        Raises:
            UnknownRunError: There is no such run.
        """
        ...

    @abstractmethod
    async def decide(self, run_id: str, key: str, decision: Decision) -> None:
        """Let a waiting call go on, or not. The first decision counts.

        Raises:
            UnknownRunError: There is no such run.
            DecisionError: The run does not wait for this decision: none was asked for, it was made
                already (it says by which person and when), it has expired, or the arguments are
                others.
        """
        ...

    @abstractmethod
    async def cancel(self, run_id: str) -> None:
        """End a run, wherever it is; it ends with `CANCELLED`. Nothing happens to a finished one.

        The attempt that has it is cancelled. If none has it, one is made whose journal is
        `is_cancelled`, so that hooks are told. May return before the end.

        Raises:
            UnknownRunError: There is no such run.
        """
        ...

    @abstractmethod
    async def waiting(self, **filters: str) -> Sequence[ApprovalRequest]:
        """What people have to decide, oldest first.

        Args:
            filters: Fields of `ApprovalRequest` and the values they must have, as `user_id="ann"`.
        """
        ...


@runtime_checkable
class RunsInPlace(Protocol):
    """Journals that keep nothing over the end of the process; `execute` runs by itself then."""

    @abstractmethod
    def open(self, command: AgentCommand, *, run_id: str, deps: Any = None) -> RunJournal:
        """The record of a run that its caller waits for; kept only if it is suspended."""
        ...


@runtime_checkable
class BeginsRuns(Protocol):
    """Journals that let a run begin in the process that asks for it, in place of a worker's."""

    @abstractmethod
    async def begin(self, command: AgentCommand, *, run_id: str, deps: Any = None) -> None:
        """Have a command run here, at once and in no queue; elsewhere, if this process dies.

        Raises:
            FormError: The command or the deps have something that cannot be kept.
            RunConflictError: There is a run of this id with another command.
        """
        ...
