"""Replays of recorded runs of many kinds, in small."""

from collections import Counter

from benchmarks.recorded_shop import KINDS
from benchmarks.replayed_runs import run


async def test_runs_of_all_kinds_are_replayed_the_same_and_nothing_is_done() -> None:
    """No tool runs, no model and no server is asked, and no hook is told."""
    outcome = await run(len(KINDS))

    assert outcome.runs == len(KINDS)
    assert outcome.turns > 40
    assert outcome.differing == []
    assert outcome.work == Counter()
