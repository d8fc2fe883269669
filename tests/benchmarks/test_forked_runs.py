"""Forks of recorded runs after each of their steps, in small."""

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from benchmarks.forked_runs import KINDS, run

pytestmark = pytest.mark.slow


async def test_a_fork_does_nothing_again_and_leaves_its_run_as_it_is() -> None:
    """Of each kind of run, after each of its steps."""
    outcome = await run(len(KINDS))

    assert outcome.runs == len(KINDS)
    assert outcome.forks > 25
    assert outcome.done_again == outcome.changed == outcome.differing == []


async def test_a_fork_that_begins_anew_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if all that it does again stands in steps of its own."""
    monkeypatch.setattr("arc_core.runs.runs.choose_steps", lambda keys, **_: [*keys][:1])

    outcome = await run(1)

    assert outcome.done_again
