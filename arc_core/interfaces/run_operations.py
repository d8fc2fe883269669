"""What journals may do for those who operate them; each is asked only if it has the members.

The commands `arc runs` and `arc worker` ask, and so may a program.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from arc_core.approvals import ApprovalRequest
from arc_core.error_base import AgentErrorCode
from arc_core.interfaces.run_journal import RunState

__all__ = [
    "BeginsByClock",
    "FindsRuns",
    "ForgetsRuns",
    "LeavesRunsToWorkers",
    "ListsRuns",
    "RecordedStep",
    "RecordsHistory",
    "RetriesRuns",
    "RunHistory",
    "RunSummary",
    "WorksQueues",
]


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
class RunSummary:
    """A run, as a line of a list.

    Attributes:
        run_id: Its id.
        state: Where it is; `FINISHED` if it has a result.
        agent: Who was asked.
        user_id: For whom; empty if the command has no user.
        tenant_id: The user's company or team, if any.
        queue: Who runs it.
        since: When it was submitted or begun, in UTC.
        finished_at: When it has ended, in UTC; None if it has not.
        error_code: Why it has failed; None if it has an answer or has not ended.
        layout: In which layout its steps are recorded; empty if there is only one.
        requests: What people have to decide, oldest first.
        session_id: The conversation it belongs to, if any.
        last_seq: The highest number of its own events so far; None if that was not asked for.
        problem: Why it is held; empty if it is not.
    """

    run_id: str
    state: RunState
    agent: str = "default"
    user_id: str = ""
    tenant_id: str | None = None
    queue: str = "default"
    since: datetime
    finished_at: datetime | None = None
    error_code: AgentErrorCode | None = None
    layout: str = ""
    requests: tuple[ApprovalRequest, ...] = ()
    session_id: str | None = None
    last_seq: int | None = None
    problem: str = ""


@runtime_checkable
class BeginsByClock(Protocol):
    """Journals that begin runs by themselves; the engine refuses agents that do not exist."""

    @abstractmethod
    def scheduled_agents(self) -> Sequence[str]:
        """The agents whose runs begin by the clock, by their names."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHistory:
    """How a run came to where it is.

    Attributes:
        attempts: How often it was begun or taken up again.
        deaths: How many processes have died at the step at which it is.
        steps: Those that are recorded, in the order in which they ended.
    """

    attempts: int
    deaths: int
    steps: tuple[RecordedStep, ...]


@runtime_checkable
class RecordsHistory(Protocol):
    """Journals that can say how a run came to where it is, for those who operate it."""

    @abstractmethod
    async def history(self, run_id: str) -> RunHistory:
        """The history of one run.

        Raises:
            UnknownRunError: There is no such run.
        """
        ...


@runtime_checkable
class FindsRuns(Protocol):
    """Journals that can say whose a run is; a server needs them to."""

    @abstractmethod
    async def find(self, run_id: str) -> RunSummary:
        """One run, with its `session_id` and its `last_seq`.

        Raises:
            UnknownRunError: There is no such run.
        """
        ...

    @abstractmethod
    async def running_in(
        self, session_id: str, *, user_id: str | None, tenant_id: str | None
    ) -> str | None:
        """The id of the newest run of a conversation that has no end yet; None if there is none.

        Args:
            session_id: The conversation, as of this user and tenant.
            user_id: As in the command.
            tenant_id: As in the command.
        """
        ...


@runtime_checkable
class ListsRuns(Protocol):
    """Journals that can say which runs they have.

    Attributes:
        layout: In which layout they record; runs of another one are `INCOMPATIBLE`. Empty if there
            is only one.
    """

    layout: str

    @abstractmethod
    async def runs(self, *, state: RunState | None = None, limit: int = 50) -> Sequence[RunSummary]:
        """The newest runs, newest first.

        Args:
            state: Only those that are there.
            limit: At most so many.
        """
        ...


@runtime_checkable
class RetriesRuns(Protocol):
    """Journals that keep the steps of a run that has failed."""

    @abstractmethod
    async def retry(self, run_id: str) -> None:
        """Queue a failed run again: it goes on after its last step that has not ended it.

        Raises:
            UnknownRunError: There is no such run.
            RetryError: It has not failed.
        """
        ...


@runtime_checkable
class ForgetsRuns(Protocol):
    """Journals that can remove what they keep of a run before its time."""

    @abstractmethod
    async def forget(self, run_id: str) -> None:
        """Remove a run that has ended; nothing happens to one that has not, or does not exist."""
        ...


@runtime_checkable
class LeavesRunsToWorkers(Protocol):
    """Journals whose process may leave the runs that it submits to other ones.

    Attributes:
        leaves_runs_to_workers: Whether it does: without a worker, these runs stay queued.
    """

    leaves_runs_to_workers: bool


@runtime_checkable
class WorksQueues(Protocol):
    """Journals whose runs may be done by several processes."""

    @abstractmethod
    def work_on(self, queues: Sequence[str], *, concurrency: int | None = None) -> None:
        """Take runs of these queues alone once it is started, whatever its settings say of that.

        It is not started yet. A queue that does not exist is refused by `start`.

        Args:
            queues: Their names; without any, this process reads, submits and decides only.
            concurrency: How many runs of one queue go on in this process at the same time; None
                is what the settings say.
        """
        ...
