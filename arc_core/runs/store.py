"""The store of runs: one interface for all that keeps them, in memory or in a database."""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from arc_core.approvals import ApprovalRequest, Decision
from arc_core.command import AgentCommand
from arc_core.components.extension_points import slot
from arc_core.errors import AgentErrorCode, ConfigurationError
from arc_core.result import AgentResult
from arc_core.runs.journal import NumberedEvent, RunBody, RunJournal


class Capability(StrEnum):
    """An ability of a store of runs, beyond running what is submitted."""

    KEEPS = "keeps"
    """Runs outlive the process, and go on in the next one."""

    LISTS = "lists"
    """It finds a run by its id and its conversation, and lists all; a server needs it to."""

    RETRIES = "retries"
    """It keeps the steps of a run that has failed, and can take it up again."""

    QUEUES = "queues"
    """Several processes share the work, each on the queues that it names."""

    SHARES = "shares"
    """Other processes read, decide and cancel its runs, as `arc runs` does."""


class RunState(StrEnum):
    """The state of a run."""

    QUEUED = "queued"
    """No worker has taken it."""

    RUNNING = "running"
    """A worker has it, or had it when its process died."""

    WAITING = "waiting"
    """A person has to decide."""

    HELD = "held"
    """Something it needs to go on is not deployed any more, such as its agent or a tool."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRunCounts:
    """The numbers of runs that are kept and have not ended.

    Attributes:
        waiting: Those for which people have to decide, in all processes that share the journals.
        queued: Those that no process has taken, in all processes that share the journals.
        running: Those that this process runs.
        taken_over: How many this process has taken over from one that has died, since the counts
            before.
    """

    waiting: int = 0
    queued: int = 0
    running: int = 0
    taken_over: int = 0


@slot("run_journals", group="arc.run_journals")
@runtime_checkable
class RunStore(Protocol):
    """Keeps the runs of an application, and brings them to their ends.

    Derive from it: what a store cannot do it inherits, as an error that names the store. Every
    method may raise an `OSError`, a `TimeoutError` or an error of its own if the database is away
    in which it keeps the runs.

    Attributes:
        capabilities: What it can do beyond running what is submitted.
        layout: In which layout it records; runs of another one are `INCOMPATIBLE`. Empty if there
            is only one.
        leaves_runs_to_workers: Whether this process works on no queue, so that runs which it
            submits stay queued until a worker takes them.
        close_timeout_s: How long `aclose` may take before it is cancelled; longer than it lets
            steps end.
    """

    capabilities: frozenset[Capability] = frozenset((Capability.KEEPS,))
    layout: str = ""
    leaves_runs_to_workers: bool = False
    close_timeout_s: float = 10.0

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
        """Return the requests about which people have to decide, oldest first.

        Args:
            filters: Fields of `ApprovalRequest` and the values they must have, as `user_id="ann"`.
        """
        ...

    async def begin(
        self, command: AgentCommand, *, run_id: str, deps: Any = None, is_wrapped: bool = False
    ) -> None:
        """Have a command run whose caller waits: here and in no queue, if this process runs any.

        If this process dies, another one goes on. Without an implementation it is submitted.

        Args:
            command: What is asked.
            run_id: The id of the run.
            deps: As for `execute`.
            is_wrapped: Whether its caller has passed what wraps the engine, which the run is then
                not to pass again in another process, until it waits for a person.

        Raises:
            FormError: The command or the deps have something that cannot be kept.
            RunConflictError: There is a run of this id with another command.
        """
        await self.submit(command, run_id=run_id, deps=deps)

    def open(self, command: AgentCommand, *, run_id: str, deps: Any = None) -> RunJournal:
        """Return the record of a run that its caller waits for; kept only if it is suspended.

        Asked of a store that does not keep runs over the end of the process.
        """
        raise lacks(self, "open a run in place")

    async def find(self, run_id: str) -> RunSummary:
        """Return one run, with its `session_id` and its `last_seq`; needs `LISTS`.

        Raises:
            UnknownRunError: There is no such run.
        """
        raise lacks(self, "find runs")

    async def running_in(
        self, session_id: str, *, user_id: str | None, tenant_id: str | None
    ) -> str | None:
        """Return the newest run of a conversation that has no end yet, by its id; needs `LISTS`.

        Args:
            session_id: The conversation, as of this user and tenant.
            user_id: As in the command.
            tenant_id: As in the command.
        """
        raise lacks(self, "find runs")

    async def runs(self, *, state: RunState | None = None, limit: int = 50) -> Sequence[RunSummary]:
        """Return the newest runs, newest first; needs `LISTS`.

        Args:
            state: Only those that are there.
            limit: At most so many.
        """
        raise lacks(self, "list runs")

    async def history(self, run_id: str) -> RunHistory | None:
        """Return how a run came to where it is; None if that is not kept.

        Raises:
            UnknownRunError: There is no such run.
        """
        return None

    async def retry(self, run_id: str) -> None:
        """Queue a failed run again, after its last step that has not ended it; needs `RETRIES`.

        Raises:
            UnknownRunError: There is no such run.
            RetryError: It has not failed.
        """
        raise lacks(self, "retry runs")

    async def forget(self, run_id: str) -> None:
        """Remove a run that has ended; nothing happens to one that has not, or does not exist."""
        raise lacks(self, "forget runs")

    def work_on(self, queues: Sequence[str], *, concurrency: int | None = None) -> None:
        """Take runs of these queues alone once it is started; needs `QUEUES`.

        It is not started yet. A queue that does not exist is refused by `start`.

        Args:
            queues: Their names; without any, this process reads, submits and decides only.
            concurrency: How many runs of one queue go on in this process at the same time; None
                is what the settings say.
        """
        raise lacks(self, "share work")

    def scheduled_agents(self) -> Sequence[str]:
        """Return the agents whose runs begin by the clock; the engine refuses unknown ones."""
        return ()

    def report_runs(self, record: Callable[[KeptRunCounts], None]) -> None:
        """Take what is to be called, in the event loop, with all counts whenever one changes.

        The engine calls it once, before the start. A store that counts nothing leaves it out.

        Args:
            record: Returns at once, and never raises.
        """
        return


def lacks(store: RunStore, verb: str) -> ConfigurationError:
    """Return the error of a store that is asked for what it cannot do."""
    return ConfigurationError(
        f"{type(store).__qualname__} cannot {verb}",
        evidence=[f"it can: {', '.join(sorted(store.capabilities)) or 'keep runs in its process'}"],
        remedy="set durable.enabled = true to keep runs in a database",
    )
