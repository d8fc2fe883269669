"""Takes runs out of queues, within the limits of these, and begins runs by the clock.

The rows of the runs are the queue: a process that has room locks the oldest ones that are due, and
makes an attempt of its own their owner in the same transaction.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import uuid4

from croniter import CroniterBadDateError, CroniterError, croniter
from sqlalchemy import ColumnElement, Connection, and_, func, select
from sqlalchemy.exc import SQLAlchemyError

from arc_core import ArcError, ConfigurationError, Logger
from arc_core.runs.store import RunState
from arc_plugins.journals.settings import (
    DEFAULT_QUEUE,
    DurableSettings,
    QueueSettings,
    ScheduleSettings,
)
from arc_plugins.journals.sql.run_store import Taken, take
from arc_plugins.journals.sql.tables import runs
from arc_plugins.journals.sql.upkeep import is_due

_PLACE = "it stands in [[schedules]]"
_SCHEDULES = "arc-"
_LONGEST_SLEEP_S = 60.0
"""The clock of the machine may be set meanwhile."""

_LATE_S = 60.0
"""After which a tick is left out: the machine has slept, as if no process had been open."""


def all_queues(settings: DurableSettings) -> Mapping[str, QueueSettings]:
    """All queues that there are."""
    return {DEFAULT_QUEUE: QueueSettings(), **settings.queues}


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The share of a process in the runs that are submitted.

    Attributes:
        queues: Whose; without any, the process runs only what it begins itself.
        max_running: Of one queue at the same time.
        schedules: Begin runs by the clock; the same in all processes.
    """

    queues: Sequence[str]
    max_running: int
    schedules: Sequence[ScheduleSettings] = ()


def claim(
    connection: Connection, queue: str, *, limits: QueueSettings, room: int, executor: str
) -> Sequence[Taken]:
    """Make attempts of a process the owners of the oldest runs of a queue, of so many at most.

    The limits are over all processes.
    """
    if limits.max_running is not None or limits.per_tenant is not None:
        _lock(connection, queue)  # others count, too
    if limits.max_running is not None:
        going_on = connection.scalar(select(func.count()).where(_goes_on(queue))) or 0
        room = min(room, limits.max_running - going_on)
    if room <= 0:
        return []
    found = select(runs.c.run_id, runs.c.ticket).where(is_due(queue)).order_by(runs.c.created_at)
    if limits.per_tenant is not None:
        wanted = _find_within(connection, queue, per_tenant=limits.per_tenant, room=room)
        found = found.where(runs.c.run_id.in_(wanted))
    rows = connection.execute(found.limit(room).with_for_update(skip_locked=True)).all()
    mine = {"executor": executor, "carried": True}
    return [
        take(connection, run_id, attempt_id=uuid4().hex, ticket=ticket + 1, **mine)
        for run_id, ticket in rows
    ]


def _goes_on(queue: str) -> ColumnElement[bool]:
    """Of a run: whether it has a place of a queue; what a caller waits for has none."""
    return and_(runs.c.state == RunState.RUNNING.value, runs.c.queue == queue, runs.c.carried)


def _find_within(
    connection: Connection, queue: str, *, per_tenant: int, room: int
) -> Sequence[str]:
    """Return the oldest runs with which no tenant has more than its number."""
    rank = func.row_number().over(partition_by=runs.c.tenant, order_by=runs.c.created_at)
    queued = select(runs.c.run_id, runs.c.tenant, runs.c.created_at, rank.label("rank"))
    first = queued.where(is_due(queue)).subquery()
    count = func.count().label("count")
    busy = select(runs.c.tenant, count).where(_goes_on(queue)).group_by(runs.c.tenant).subquery()
    same = first.c.tenant.is_not_distinct_from(busy.c.tenant)
    found = select(first.c.run_id).select_from(first.outerjoin(busy, same))
    found = found.where(first.c.rank + func.coalesce(busy.c.count, 0) <= per_tenant)
    return connection.scalars(found.order_by(first.c.created_at).limit(room)).all()


def _lock(connection: Connection, queue: str) -> None:
    """Have no other process claim runs of a queue until the transaction ends."""
    if connection.dialect.name == "postgresql":  # in a file, no other one writes
        name = func.concat("arc.queue.", func.current_schema(), ".", queue)
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))


Submit = Callable[[str, ScheduleSettings], Awaitable[None]]
"""Submits the run of a schedule, under an id."""


async def watch_schedule(schedule: ScheduleSettings, *, submit: Submit, logger: Logger) -> None:
    """Begin a run at each tick, until it is cancelled.

    Other processes have the schedule, too: a tick has one run over all of them, whose id is made
    of the schedule and the moment.
    """
    digest = sha256(schedule.model_dump_json().encode()).hexdigest()
    ticks = croniter(schedule.cron, datetime.now(UTC), second_at_beginning=True)
    while True:
        tick = ticks.get_next(datetime)
        if await _sleep_until(tick) > _LATE_S:
            ticks.set_current(datetime.now(UTC) - timedelta(seconds=_LATE_S))
            continue
        run_id = f"{_SCHEDULES}{digest[:16]}-{tick.strftime('%Y%m%dT%H%M%SZ')}"
        try:
            await submit(run_id, schedule)
        except (OSError, SQLAlchemyError, ArcError) as error:  # the next tick may be begun
            problem = type(error).__name__
            logger.error(  # noqa: TRY400 -- its text could show the prompt
                "scheduled_run_cannot_begin", run_id=run_id, error_type=problem
            )


async def _sleep_until(moment: datetime) -> float:
    """Return by how many seconds it is later than the moment."""
    while (rest_s := (moment - datetime.now(UTC)).total_seconds()) > 0:  # noqa: ASYNC110 -- a clock
        await asyncio.sleep(min(rest_s, _LONGEST_SLEEP_S))
    return -rest_s


def check_schedules(schedules: Sequence[ScheduleSettings], *, queues: Collection[str]) -> None:
    """Check that each schedule begins runs, in one of the queues.

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
