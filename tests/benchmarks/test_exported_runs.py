"""Recordings that leave their store, with planted secrets, in small."""

import pytest

pytest.importorskip("phonenumbers", reason="needs the extra guards")

from benchmarks.exported_runs import PLACES, export_runs


async def test_nothing_that_the_guards_know_is_in_an_export() -> None:
    """Wherever in a run it has stood."""
    outcome = await export_runs(20)

    assert (outcome.lines, outcome.planted) == (20, 20 * len(PLACES))
    assert outcome.leaked == {}


async def test_what_is_not_masked_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """In each of the places."""

    async def pass_on(_: object, text: str) -> str:
        return text

    monkeypatch.setattr("arc_core.recordings.masking.RecordingMasks.mask_text", pass_on)
    outcome = await export_runs(5)

    assert {name.rpartition(" in ")[2] for name in outcome.leaked} == {*PLACES}
