"""Days and months of UTC, and the clocks that say which it is."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_plugins.budgets.counting.limits import BudgetWindow, window_keys

MOMENTS = st.datetimes(
    min_value=datetime(1970, 1, 2),  # noqa: DTZ001 -- hypothesis adds the zone
    max_value=datetime(9000, 1, 1),  # noqa: DTZ001
    timezones=st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours))),
)


@given(moment=MOMENTS, window=st.sampled_from(BudgetWindow))
def test_a_window_ends_when_the_next_one_begins(moment: datetime, window: BudgetWindow) -> None:
    """The moment before its end is in it, and its end is in another, in whatever time zone."""
    end = window.end(moment)

    assert end > moment
    assert window_keys(end - timedelta(microseconds=1))[window] == window_keys(moment)[window]
    assert window_keys(end)[window] != window_keys(moment)[window]
    assert window_keys(moment)[window] == window_keys(moment.astimezone(UTC))[window]


@pytest.mark.parametrize(
    ("moment", "day", "month"),
    [
        ("2026-01-31T23:59", "2026-02-01", "2026-02-01"),
        ("2028-02-28T12:00", "2028-02-29", "2028-03-01"),
        ("2028-02-29T12:00", "2028-03-01", "2028-03-01"),
        ("2027-02-28T12:00", "2027-03-01", "2027-03-01"),
        ("2026-12-31T00:00", "2027-01-01", "2027-01-01"),
    ],
)
def test_months_end_as_calendars_say(moment: str, day: str, month: str) -> None:
    """At their last day, also in February and at the end of a year."""
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC)

    assert [f"{window.end(now):%Y-%m-%d}" for window in BudgetWindow] == [day, month]


@pytest.fixture
def _odd_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "ODD-13:45")
    time.tzset()
    yield
    monkeypatch.undo()
    assert os.environ.get("TZ") != "ODD-13:45"
    time.tzset()


@pytest.mark.usefixtures("_odd_zone")
@pytest.mark.skipif(not hasattr(time, "tzset"), reason="Windows has no time zone of a process")
def test_the_zone_of_the_process_does_not_matter() -> None:
    """Half a day ahead of UTC, the day is still that of UTC."""
    assert time.localtime(0).tm_hour == 13
    assert window_keys(datetime.fromtimestamp(1_780_000_000, UTC))[BudgetWindow.DAY] == "2026-05-28"
    assert (
        BudgetWindow.DAY.end(datetime.fromtimestamp(1_780_000_000, UTC)).timestamp() % 86_400 == 0
    )
