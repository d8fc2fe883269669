"""The store of runs: one interface for all that keeps them, in memory or in a database."""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.components.extension_points import slot
from arc_core.errors import ConfigurationError
from arc_core.requests import Decision
from arc_core.runs.journal import NumberedEvent, Recording, RunBody, RunHistory, RunJournal
from arc_core.runs.summaries import KeptRunCounts
from arc_core.runs.summaries import RunPage as RunPage
from arc_core.runs.summaries import RunQuery as RunQuery
from arc_core.runs.summaries import RunState as RunState
from arc_core.runs.summaries import RunSummary as RunSummary
from arc_core.runs.summaries import Waiting as Waiting


class Capability(StrEnum):
    """An ability of a store of runs, beyond running what is submitted."""

    KEEPS = "keeps"
    """Runs outlive the process, and go on in the next one."""

    LISTS = "lists"
    """It knows whose a run is, and lists all, also by conversation; a server needs it to."""

    RETRIES = "retries"
    """It keeps the steps of a run that has failed, and can take it up again."""

    QUEUES = "queues"
    """Several processes share the work, each on the queues that it names."""

    SHARES = "shares"
    """Other processes read, decide and cancel its runs, as `arc runs` does."""

    RECORDS = "records"
    """It has the record of each run, from the first step on; in memory only if it is asked to."""


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
        is_recording: Whether it has the record of each run that begins, those in place too.
        leaves_runs_to_workers: Whether this process works on no queue, so that runs which it
            submits stay queued until a worker takes them.
        close_timeout_s: How long `aclose` may take before it is cancelled; longer than it lets
            steps end.
    """

    capabilities: frozenset[Capability] = frozenset((Capability.KEEPS,))
    layout: str = ""
    is_recording: bool = False
    leaves_runs_to_workers: bool = False
    close_timeout_s: float = 10.0

    @abstractmethod
    async def start(self, body: RunBody) -> None:
        """Take runs from now on. The engine calls it once it can run them.

        Raises:
            ConfigurationError: It cannot.
        """

    @abstractmethod
    async def aclose(self) -> None:
        """Let go: take no new runs, let steps end, leave the rest to others. Cancels no run."""

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

    @abstractmethod
    async def find(self, run_id: str) -> RunSummary:
        """Return a run, with its result or what it has so far. Does not wait.

        With `LISTS`, its owner, its `session_id` and its `last_seq` are there, too.

        Raises:
            UnknownRunError: There is no such run.
        """

    @abstractmethod
    async def list(
        self,
        *,
        state: RunState | None = None,
        limit: int | None = 50,
        requests: Mapping[str, str] | None = None,
    ) -> Sequence[RunSummary]:
        """Return the newest runs, newest first; needs `LISTS`, but for those that ask people.

        Args:
            state: Only those that are there.
            limit: At most so many; None is all.
            requests: Only runs that have asked people what is open, with these values of the fields
                of `Request`; their `requests` are only these then. None is any run.
        """

    async def search(self, query: RunQuery) -> RunPage:
        """Return a page of the newest runs that a query wants; needs `LISTS`.

        Without an implementation all runs of `list` are looked at.
        """
        return query.take(await self.list(state=query.state, limit=None))

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

    @abstractmethod
    async def decide(self, run_id: str, key: str, decision: Decision) -> None:
        """Let a waiting call go on, or not. The first decision counts.

        Raises:
            UnknownRunError: There is no such run.
            DecisionError: The run does not wait for this decision: none was asked for, it was made
                already (it says by which person and when), it has expired, or the arguments are
                others.
        """

    @abstractmethod
    async def cancel(self, run_id: str) -> None:
        """End a run, wherever it is; it ends with `CANCELLED`. Nothing happens to a finished one.

        The attempt that has it is cancelled. If none has it, one is made whose journal is
        `is_cancelled`, so that hooks are told. May return before the end.

        Raises:
            UnknownRunError: There is no such run.
        """

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

    async def history(self, run_id: str) -> RunHistory | None:
        """Return how a run came to where it is; None if that is not kept.

        Raises:
            UnknownRunError: There is no such run.
        """
        return None

    def record_runs(self) -> None:
        """Have a record of each run that begins from now on; needs `RECORDS`. Not started yet."""
        raise lacks(self, "record runs")

    async def recording(self, run_id: str) -> Recording:
        """Return the record of a run, as far as it is; needs `RECORDS`.

        Raises:
            UnknownRunError: There is no such run.
            FormError: Only another version of Arc can read it.
            ConfigurationError: The store was not asked to record.
        """
        raise lacks(self, "record runs")

    async def fork(
        self,
        run_id: str,
        *,
        fork_id: str,
        steps: Sequence[str],
        command: AgentCommand,
        deps: Any = None,
    ) -> None:
        """Begin a run with steps of another one, which stays as it is; needs `RECORDS`.

        Args:
            run_id: The run whose steps they are.
            fork_id: The id of the new run.
            steps: The keys of those that are not done again, each of them recorded.
            command: What the new run is asked.
            deps: As for `execute`; None are those of the run, as far as they are kept.

        Raises:
            UnknownRunError: There is no such run.
            FormError: The command or the deps have something that cannot be kept.
        """
        raise lacks(self, "fork runs")

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

        They may be told more often, as what exports them may be set up late. The engine calls it
        once, before the start. A store that counts nothing leaves it out.

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


RunJournals = RunStore
"""The name of the slot's interface that programs know."""

ReportsKeptRuns = RunStore
"""A store whose runs are counted: one that has `report_runs`."""
