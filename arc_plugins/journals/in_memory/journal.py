"""The record of one attempt at a run: what its steps gave stays in a dictionary, as it is."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from arc_core import (
    AgentResult,
    ApprovalRequest,
    Decision,
    Form,
    NumberedEvent,
    Place,
    RunJournal,
    RunSuspended,
)
from arc_plugins.journals.in_memory.stored_run import StoredRun

T = TypeVar("T")


class RunKeeper(Protocol):
    """The one who keeps a run, for its attempts."""

    def keep(self, run: StoredRun, key: str) -> None:
        """A person is asked for the first time under this key."""
        ...

    def look_after(self, run: StoredRun) -> None:
        """A step of a run has ended that has asked."""
        ...


class InMemoryRunJournal(RunJournal):
    """Passes through, and remembers.

    Args:
        run: What the attempts at it share.
        keeper: Keeps it once it has asked.
    """

    def __init__(self, run: StoredRun, keeper: RunKeeper) -> None:
        run.lives += 1
        self.run_id = run.run_id
        self.life = str(run.lives)
        self.deps: Any = run.deps
        self.told = run.last_seq if run.events else 0
        self.lets_go, self.is_cancelled = False, run.is_cancelled
        self._told_below = {event.run_id: event.seq for event in run.events}
        self._run, self._keeper, self._number = run, keeper, run.lives

    async def told_by(self, run_id: str) -> int:
        """Return the last `seq` that the attempts before have published of it."""
        return self._told_below.get(run_id, 0)

    def reserve(self, key: str) -> Place:
        """The key is the place: values are kept by it."""
        return Place(key)

    async def step(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        *,
        form: Form[T],
        place: Place | None = None,
    ) -> T:
        """The value that is kept, else what the work gives. Forms and places are not needed.

        Raises:
            RunSuspended: The run is not to go on in this attempt.
        """
        del form, place
        run = self._run
        steps: dict[str, T] = run.steps
        if key in steps:
            return steps[key]
        if self.lets_go:
            raise RunSuspended
        run.working += 1
        try:
            value = steps[key] = await work()
        finally:
            run.working -= 1
            if run.requests:
                self._keeper.look_after(run)
        return value

    async def decision(self, key: str, request: ApprovalRequest) -> Decision:
        """Return the decision; the first request under a key stays.

        Raises:
            RunSuspended: It is not decided yet.
        """
        run = self._run
        if key in run.decisions:
            return run.decisions[key]
        if self.lets_go:
            raise RunSuspended
        if key not in run.requests:
            run.requests[key], run.journal = request, self
            self._keeper.keep(run, key)
        raise RunSuspended((run.requests[key],))

    def keep_so_far(self, result: AgentResult) -> None:
        """Keep what the run has when it begins to wait."""
        self._run.so_far = result

    async def publish(self, event: NumberedEvent) -> None:
        """Keep an event at once, unless another attempt has the run; then wait for its readers."""
        run = self._run
        if run.lives == self._number:
            run.publish(event)
            if run.is_paced:
                await run.pace.wait(len(run.events))
