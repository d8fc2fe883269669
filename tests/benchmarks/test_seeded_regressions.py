"""Changes of one thing at a time, in small."""

from benchmarks.packaged_regressions import PACKAGED
from benchmarks.seeded_regressions import REGRESSIONS, run


async def test_regressions_are_named_and_harmless_edits_cause_no_alarm() -> None:
    """One of each sixth regression, all those of a package, and a few edits."""
    outcome = await run(REGRESSIONS[::6], PACKAGED, edits=6)

    assert outcome.regressions > 9
    assert outcome.packaged == len(PACKAGED)
    assert outcome.missed == outcome.misnamed == outcome.alarms == []
