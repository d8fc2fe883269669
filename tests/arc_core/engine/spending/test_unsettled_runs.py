"""What could not be settled is settled later."""

import asyncio
import time

import pytest

from arc_core import Amount, Spender
from arc_core.engine.boundary.boundary import Failed
from arc_core.engine.spending import unsettled_runs
from arc_core.engine.spending.unsettled_runs import UnsettledRuns

TEN = Amount(tokens=10)


class Store:
    """Where runs are settled; fails as often as it is told, and always for the broken run.

    Attributes:
        settled: The runs, in their order.
        done: Set when as many are settled as were waited for.
    """

    def __init__(self, *, failures: int = 0, broken: str = "", expected: int = 1) -> None:
        self.failures, self.broken, self.expected = failures, broken, expected
        self.settled: list[str] = []
        self.done = asyncio.Event()

    async def settle(self, spender: Spender, spent: Amount) -> Failed | None:
        """Take it, or fail."""
        assert spent == TEN
        if self.failures or spender.run_id == self.broken:
            self.failures = max(0, self.failures - 1)
            return Failed(OSError())
        self.settled.append(spender.run_id)
        if len(self.settled) == self.expected:
            self.done.set()
        return None


def owe(owed: UnsettledRuns, *runs: str) -> None:
    """Add what these runs have spent."""
    for run in runs:
        owed.add(Spender(reservation_id=run, run_id=run), spent=TEN)


async def test_it_is_tried_until_it_succeeds() -> None:
    """Each run once, and the task ends."""
    store = Store(failures=3, expected=2)
    owed = UnsettledRuns(store.settle, first_pause_s=0)

    owe(owed, "a", "b")
    await store.done.wait()
    await asyncio.sleep(0)

    assert sorted(store.settled) == ["a", "b"]
    assert [each for each in asyncio.all_tasks() if "unsettled" in each.get_name()] == []


async def test_a_run_that_cannot_be_settled_keeps_no_other_one_from_it() -> None:
    """It is tried last the next time."""
    store = Store(broken="a", expected=2)
    owed = UnsettledRuns(store.settle, first_pause_s=0)

    owe(owed, "a", "b", "c")
    await store.done.wait()
    await owed.aclose()

    assert store.settled == ["b", "c"]


async def test_at_the_end_it_is_tried_once_more(caplog: pytest.LogCaptureFixture) -> None:
    """What still fails is an error in the log, since it is not counted."""
    store = Store(broken="b")
    owed = UnsettledRuns(store.settle, first_pause_s=3_600)

    owe(owed, "a", "b")
    await asyncio.sleep(0)
    await owed.aclose()

    assert store.settled == ["a"]
    (told,) = [each.getMessage() for each in caplog.records]
    assert "is not counted" in told


async def test_a_reservation_that_ends_by_itself_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It ends by itself, and nothing was spent."""

    async def fail(spender: Spender, spent: Amount) -> Failed | None:
        return Failed(OSError())

    owed = UnsettledRuns(fail, first_pause_s=3_600)
    owed.add(Spender(reservation_id="a", run_id="a"), spent=Amount())
    await owed.aclose()

    assert caplog.records == []


async def test_after_an_hour_it_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Budgets remember no longer what is settled, and it could count twice."""
    store = Store()
    owed = UnsettledRuns(store.settle, first_pause_s=3_600)
    owe(owed, "a")

    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: time.monotonic() + 3_600)
    await owed.aclose()

    assert store.settled == []


async def test_of_too_many_the_oldest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that budgets that are away for long do not fill the memory."""
    monkeypatch.setattr(unsettled_runs, "_MOST", 2)
    store = Store()
    owed = UnsettledRuns(store.settle, first_pause_s=3_600)

    owe(owed, "a", "b", "c")
    await owed.aclose()

    assert store.settled == ["b", "c"]
