"""What the clock begins when something goes wrong, and after the machine has slept."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Self

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core.errors import RunConflictError
from arc_core.log import get_logger
from arc_plugins.journals.settings import ScheduleSettings
from arc_plugins.journals.sql import queues
from arc_plugins.journals.sql.queues import watch_schedule


class _Clock(datetime):
    """Shows moments that a test has named, and the last of them from then on."""

    moments: Iterator[datetime]
    shown = datetime(2026, 1, 1, tzinfo=UTC)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """The moment."""
        cls.shown = next(cls.moments, cls.shown)
        return cls.fromtimestamp(cls.shown.timestamp(), tz)


class _Runs:
    """Those that were begun; ids in `taken` belong to others that ask something else."""

    def __init__(self, *, taken: str = "") -> None:
        self.taken, self.ids, self.begun = taken, list[str](), asyncio.Event()

    async def submit(self, run_id: str, _: ScheduleSettings) -> None:
        """Keep one."""
        if self.taken and run_id.endswith(self.taken):
            raise RunConflictError(run_id)
        self.ids.append(run_id.rpartition("-")[2])
        self.begun.set()


async def _begin_at(runs: _Runs, *moments: datetime) -> None:
    """Have a schedule of each day at seven begin a run, while a clock shows these moments."""
    _Clock.moments = iter(moments)
    settings = ScheduleSettings(cron="0 7 * * *", prompt="Brief me.")
    watching = watch_schedule(settings, submit=runs.submit, logger=get_logger("test"))
    watch = asyncio.create_task(watching)
    waiting = asyncio.create_task(runs.begun.wait())
    await asyncio.wait((watch, waiting), return_when=asyncio.FIRST_COMPLETED)
    for task in (watch, waiting):
        task.cancel()
    await asyncio.wait((watch, waiting))


_BEFORE, _TICK = datetime(2026, 1, 1, 6, 59, 59, tzinfo=UTC), datetime(2026, 1, 1, 7, tzinfo=UTC)


async def test_a_tick_that_cannot_begin_a_run_leaves_the_next_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As when another version of the application has begun it with another form."""
    monkeypatch.setattr(queues, "datetime", _Clock)
    runs = _Runs(taken="20260101T070000Z")

    await _begin_at(runs, _BEFORE, _TICK, _TICK.replace(day=2))

    assert runs.ids == ["20260102T070000Z"]


async def test_ticks_through_which_the_machine_has_slept_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As those are while no process is open."""
    monkeypatch.setattr(queues, "datetime", _Clock)
    runs = _Runs()

    await _begin_at(runs, _BEFORE, _TICK.replace(day=5))

    assert runs.ids == ["20260105T070000Z"]
