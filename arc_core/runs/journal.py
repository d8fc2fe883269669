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
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from arc_core.approvals import ApprovalRequest, Decision
from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.result import AgentResult

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
        is_wrapped: Whether a caller in another process waits for the run, and has passed what wraps
            the engine.
    """

    run_id: str
    life: str
    deps: Any
    told: int
    lets_go: bool
    is_cancelled: bool
    given_up_after: int = 0
    is_wrapped: bool = False

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
        """Return what is recorded under the key; else do the work, and record what it gives first.

        Events that were published before the work has ended are kept with the record, or before it.

        Raises:
            RunSuspended: The run is not to go on here: the process closes, which is asked before
                the work begins, or another attempt has the run, and then nothing is recorded.
            Exception: What the work raises; nothing is recorded.
        """
        ...

    @abstractmethod
    async def decision(self, key: str, request: ApprovalRequest) -> Decision:
        """Return the decision of a person; ask, if it was not asked yet under this key.

        Raises:
            RunSuspended: It is not decided yet.
        """
        ...

    @abstractmethod
    async def publish(self, event: NumberedEvent) -> None:
        """Keep an event for readers, in any process. May return before it is kept."""
        ...

    def keep_so_far(self, result: AgentResult) -> None:
        """Keep what a run has when it begins to wait, until it goes on, for its readers.

        Called before the run leaves with `RunSuspended`; does nothing unless it is implemented.
        """
        return


RunBody = Callable[[AgentCommand, RunJournal], Awaitable[AgentResult]]
"""The engine's one way of running: from the first step that is not recorded to the result."""
