"""Checks schedules before one of them is kept: DBOS keeps lines whose moment never comes."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from croniter import CroniterBadDateError, CroniterError, croniter

from arc_core import ConfigurationError
from arc_plugins.journals.settings import ScheduleSettings

__all__ = ["check_schedules"]

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
