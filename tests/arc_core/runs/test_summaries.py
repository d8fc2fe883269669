"""Lists of runs, a page at a time."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from arc_core.error_base import AgentErrorCode
from arc_core.runs.summaries import RunPage, RunQuery, RunState, RunSummary

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def run(run_id: str, *, minutes: int = 0, **fields: Any) -> RunSummary:
    """A run that began some minutes after noon."""
    given: dict[str, Any] = {"state": RunState.FINISHED, **fields}
    return RunSummary(run_id=run_id, since=NOON + timedelta(minutes=minutes), **given)


RUNS = (
    run("a", agent="clerk", user_id="ann", cost=Decimal("0.5")),
    run("b", minutes=1, state=RunState.RUNNING, user_id="bob"),
    run("c", minutes=2, error_code=AgentErrorCode.TIMEOUT, tenant_id="acme"),
    run("d", minutes=2, cost=Decimal("0.01")),
)


def ids(page: RunPage) -> list[str]:
    """The runs of a page."""
    return [each.run_id for each in page.runs]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (RunQuery(), ["c", "d", "b", "a"]),
        (RunQuery(state=RunState.RUNNING), ["b"]),
        (RunQuery(has_failed=True), ["c"]),
        (RunQuery(has_failed=False), ["d", "a"]),
        (RunQuery(agent="clerk"), ["a"]),
        (RunQuery(user_id="bob"), ["b"]),
        (RunQuery(tenant_id="acme"), ["c"]),
        (RunQuery(since=NOON + timedelta(minutes=1)), ["c", "d", "b"]),
        (RunQuery(until=NOON + timedelta(minutes=1)), ["a"]),
        (RunQuery(min_cost=Decimal("0.1")), ["a"]),
        (RunQuery(sees=lambda each: each.run_id != "c"), ["d", "b", "a"]),
    ],
)
def test_each_filter_leaves_out_what_is_not_asked_for(query: RunQuery, found: list[str]) -> None:
    """What is left is newest first, and runs of the same moment stand in the order of their ids."""
    assert ids(query.take(RUNS)) == found


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_pages_follow_each_other_without_gap(limit: int) -> None:
    """The last one says that there are no more, also if it is full."""
    query, seen = RunQuery(limit=limit), list[str]()
    page = query.take(RUNS)
    seen += ids(page)
    while page.next is not None:
        page = RunQuery(limit=limit, after=page.next).take(RUNS)
        seen += ids(page)

    assert seen == ["c", "d", "b", "a"]
    assert len(page.runs) == (4 % limit or limit)
