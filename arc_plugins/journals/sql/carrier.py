"""The door to DBOS, which brings tickets of runs to processes, and begins runs by the clock.

A ticket is a workflow of DBOS without steps: what it hands over is written in Arc's own tables. So
DBOS never reads what a run says, and its tables have ids only. DBOS is one instance a process.

All methods block, and are called in threads.
"""

import asyncio
import errno
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from croniter import CroniterBadDateError, CroniterError, croniter
from dbos import DBOS, DBOSConfig, Serializer, SetEnqueueOptions, SetWorkflowID
from dbos import error as dbos_errors

from arc_core import ConfigurationError
from arc_plugins.journals.settings import DEFAULT_QUEUE, QueueSettings, ScheduleSettings
from arc_plugins.journals.sql.database import Database
from arc_plugins.journals.sql.run_store import Ticket

_VERSION = "arc-1"
"""Always this, whatever the layout is: DBOS brings tickets to processes of one version alone, and
those that wait would stay for ever. What an older process does with one is for `find_done`."""

_POLL_S = 0.25
"""The seconds between two looks of a process for tickets in a queue."""

_LISTENER_S = 0.1
"""The seconds between two looks of DBOS for messages; Arc sends none, and closing waits for one."""

_NO_TENANT = "-"
_SCHEDULES = "arc-"
_AT_ONCE = 1_000
_DONE = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """The callbacks for tickets and schedules, on the event loop of the application.

    Attributes:
        loop: Of the application.
        drive: Takes the run of a ticket as far as it goes: `(run_id, number)`.
        begin: Submits the run of a schedule: `(run_id, what the schedule says)`.
    """

    loop: asyncio.AbstractEventLoop
    drive: Callable[[str, int], Awaitable[None]]
    begin: Callable[[str, Mapping[str, Any]], Awaitable[None]]


class _Json(Serializer):
    """The form of what DBOS keeps: ids, and what schedules say."""

    def serialize(self, data: Any) -> str:
        return json.dumps(data, default=str)

    def deserialize(self, serialized_data: str) -> Any:
        return json.loads(serialized_data)

    def name(self) -> str:
        return "arc_json"


class _Process:
    handover: Handover | None = None


async def _carry(run_id: str, number: int) -> None:
    await _on_loop(lambda to: to.drive(run_id, number))


async def _begin_by_clock(tick: datetime | str, context: dict[str, Any]) -> None:
    moment = datetime.fromisoformat(str(tick)).astimezone(UTC)
    run_id = f"{context['name']}-{moment.strftime('%Y%m%dT%H%M%SZ')}"
    await _on_loop(lambda to: to.begin(run_id, context))


async def _on_loop(work: Callable[[Handover], Awaitable[None]]) -> None:
    """Have the application's event loop do something; if it is closing, the ticket stays open."""
    to = _Process.handover
    if to is None or to.loop.is_closed():
        raise asyncio.CancelledError

    async def do() -> None:
        await work(to)

    coroutine = do()
    try:
        future = asyncio.run_coroutine_threadsafe(coroutine, to.loop)
    except RuntimeError:
        coroutine.close()
        raise asyncio.CancelledError from None
    await asyncio.wrap_future(future)


_CARRY = DBOS.workflow(name="arc_run", max_recovery_attempts=None)(_carry)
_BEGIN = DBOS.workflow(name="arc_schedule", max_recovery_attempts=None)(_begin_by_clock)


class Carrier:
    """DBOS, for as long as the application is open.

    Raises:
        ConfigurationError: Another durable application is open in this process.
    """

    def __init__(self, database: Database, *, executor: str, handover: Handover) -> None:
        if _Process.handover is not None:
            raise ConfigurationError(
                "another durable application is open in this process: DBOS is one instance per "
                "process",
                remedy="close the other application first, or open this one in a process of its "
                "own",
            )
        _Process.handover = handover
        self._database, self._executor = database, executor

    def open(
        self,
        queues: Mapping[str, QueueSettings],
        *,
        max_running: int,
        listens_to: Collection[str],
        schedules: Sequence[ScheduleSettings],
    ) -> Sequence[ScheduleSettings]:
        """Begin to carry.

        Args:
            queues: With their limits over all processes.
            max_running: Of one queue in this process.
            listens_to: The queues whose runs this process takes.
            schedules: All that the settings have. Others that were kept before are removed, if
                this process takes the runs of their queues: it may be a program without schedules.

        Returns:
            The schedules that were removed.

        Raises:
            ConfigurationError: A schedule cannot be.
        """
        check_schedules(schedules, queues=queues)
        _tell_errors_on_stderr()
        DBOS(config=self._config())
        DBOS.listen_queues(list(listens_to))
        DBOS.launch()
        for name, queue in queues.items():
            DBOS.register_queue(
                name,
                global_concurrency=queue.max_running,
                worker_concurrency=_smaller(max_running, queue.max_running),
                partition_concurrency=_smaller(queue.per_tenant, queue.max_running),
                polling_interval_sec=_POLL_S,
                # DBOS keeps what one process may have with the queue: workers say it.
                on_conflict="always_update" if name in listens_to else "never_update",
            )
        self._apply(schedules)
        return self._remove_others(schedules, listens_to)

    def _config(self) -> DBOSConfig:
        return DBOSConfig(
            name="arc",
            system_database_url=self._database.engine.url.render_as_string(hide_password=False),
            system_database_engine=self._database.engine,
            dbos_system_schema=self._database.dbos_schema(),
            application_version=_VERSION,
            executor_id=self._executor,
            log_level="ERROR",
            serializer=_Json(),
            use_listen_notify=False,
            notification_listener_polling_interval_sec=_LISTENER_S,
            enable_otlp=False,
        )

    def _apply(self, schedules: Sequence[ScheduleSettings]) -> None:
        for each in schedules:
            context = {"agent": each.agent, "prompt": each.prompt, "queue": each.queue}
            name = _schedule_name(each)
            DBOS.apply_schedules([
                {
                    "schedule_name": name,
                    "workflow_fn": _BEGIN,
                    "schedule": each.cron,
                    "context": {"name": name, **context},
                }
            ])  # fmt: skip

    def _remove_others(
        self, schedules: Sequence[ScheduleSettings], queues: Collection[str]
    ) -> Sequence[ScheduleSettings]:
        """Remove the schedules of some queues that are not among these."""
        removed, names = [], {_schedule_name(each) for each in schedules}
        for kept in DBOS.list_schedules(schedule_name_prefix=_SCHEDULES):
            said = kept["context"]
            queue = said["queue"] or DEFAULT_QUEUE
            if kept["schedule_name"] not in names and queue in queues:
                DBOS.delete_schedule(kept["schedule_name"])
                removed.append(
                    ScheduleSettings(
                        cron=kept["schedule"],
                        agent=said["agent"],
                        prompt=said["prompt"],
                        queue=queue,
                    )
                )
        return removed

    def enqueue(self, ticket: Ticket) -> None:
        """Have a ticket brought to a process; the same one twice is one.

        Raises:
            OSError: DBOS does not take it.
        """
        with (
            _failures_as_os_errors(),
            SetWorkflowID(_get_id(ticket)),
            # Always: queues without limits of tenants pay no heed to it.
            SetEnqueueOptions(queue_partition_key=ticket.tenant or _NO_TENANT),
        ):
            DBOS.enqueue_workflow(ticket.queue, _CARRY, ticket.run_id, ticket.number)

    def find_done(self, tickets: Sequence[Ticket]) -> Sequence[Ticket]:
        """Those that DBOS has brought to a process, which has done with them.

        Raises:
            OSError: DBOS does not say.
        """
        by_id = {_get_id(ticket): ticket for ticket in tickets}
        with _failures_as_os_errors():
            found = DBOS.list_workflows(
                workflow_ids=list(by_id), status=_DONE, load_input=False, load_output=False
            )
        return [by_id[each.workflow_id] for each in found]

    def executors_with_tickets(self) -> set[str]:
        """The processes to which tickets were brought that they have not ended.

        Raises:
            OSError: DBOS does not say.
        """
        with _failures_as_os_errors():
            found = DBOS.list_workflows(status="PENDING", load_input=False, load_output=False)
        return {each.executor_id for each in found if each.executor_id}

    def recover(self, executor: str) -> None:
        """Bring the tickets of a process that died to others.

        Raises:
            OSError: DBOS cannot.
        """
        with _failures_as_os_errors():
            DBOS._recover_pending_workflows([executor])  # noqa: SLF001 -- DBOS has no public way

    def forget(self, *, days: float) -> None:
        """Remove tickets that ended long ago.

        Raises:
            OSError: DBOS cannot.
        """
        limit = datetime.now(UTC) - timedelta(days=days)
        with _failures_as_os_errors():
            while old := DBOS.list_workflows(
                status=_DONE,
                completed_before=limit.isoformat(),
                load_input=False,
                load_output=False,
                limit=_AT_ONCE,
            ):
                DBOS.delete_workflows([each.workflow_id for each in old])

    def close(self) -> None:
        """Bring nothing more."""
        try:
            DBOS.destroy()
        finally:
            _Process.handover = None


def _get_id(ticket: Ticket) -> str:
    return f"{ticket.run_id}:{ticket.number}"


@contextmanager
def _failures_as_os_errors() -> Iterator[None]:
    """Turn errors of DBOS into those of a database that is away, which is tried again."""
    try:
        yield
    except dbos_errors.DBOSException as error:
        problem = f"DBOS does not bring runs to processes: {type(error).__name__}"
        raise OSError(errno.EIO, problem) from error


def _tell_errors_on_stderr() -> None:
    """Have DBOS log errors to the standard error of the moment, unless the program says where.

    Its own handler keeps the stream of its first start, and the next start fails if that is closed.
    """
    logger, handler = logging.getLogger("dbos"), logging.lastResort
    logger.setLevel(logging.ERROR)
    if not logger.handlers and handler is not None:
        logger.addHandler(handler)
        logger.propagate = False


def _smaller(one: int | None, other: int | None) -> int | None:
    if one is None:
        return None
    return one if other is None else min(one, other)


def _schedule_name(schedule: ScheduleSettings) -> str:
    digest = sha256(schedule.model_dump_json().encode()).hexdigest()
    return f"{_SCHEDULES}{digest[:16]}"


_PLACE = "it stands in [[schedules]]"


def check_schedules(schedules: Sequence[ScheduleSettings], *, queues: Collection[str]) -> None:
    """Check that each schedule begins runs.

    Args:
        schedules: All that there are.
        queues: The names of those that there are.

    Raises:
        ConfigurationError: A line is not cron's, its moment never comes, or there is no such queue.
    """
    for each in schedules:
        _check_line(each.cron)
        if each.queue is not None and each.queue not in queues:
            raise ConfigurationError(
                f"a schedule has the queue {each.queue!r}, and there is no queue {each.queue!r}",
                evidence=[_PLACE, f"there are: {', '.join(sorted(queues))}"],
                remedy="name one of these, or add it to durable.queues",
            )


def _check_line(line: str) -> None:
    try:
        croniter(line, datetime.now(UTC), second_at_beginning=True).get_next()
    except CroniterBadDateError as error:
        raise ConfigurationError(
            f"a schedule has the cron line {line!r}, whose moment never comes",
            evidence=[_PLACE],
            remedy="correct its day and its month",
        ) from error
    except CroniterError as error:
        raise ConfigurationError(
            f"a schedule has the cron line {line!r}, which cannot be read",
            evidence=[_PLACE],
            remedy="write five fields, minute hour day month weekday, as in 0 7 * * 1-5; "
            "six begin with the second",
        ) from error
