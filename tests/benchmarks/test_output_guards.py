"""How well the output guards judge has floors, and the report prints it."""

import pytest

from benchmarks.output_guards import cases, false_positives, misses, report

pytestmark = pytest.mark.slow
NAMES = ("secrets", "pii", "links")


@pytest.mark.parametrize("name", NAMES)
async def test_no_generated_leak_leaves(name: str) -> None:
    """Of a thousand at random places, split at random, nothing leaves."""
    assert await misses(cases()[name], leaks=1_000, seed=4) == {}


@pytest.mark.parametrize("name", NAMES)
async def test_harmless_texts_leave(name: str) -> None:
    """Prose, code, logs and settings, in English and Korean, are what they were."""
    assert await false_positives(cases()[name].guard) == []


async def test_the_report_names_every_guard(capsys: pytest.CaptureFixture[str]) -> None:
    """With its misses, its false positives and its time."""
    await report(leaks=60, seed=1)

    printed = capsys.readouterr().out
    assert all(f"{name}: window" in printed for name in NAMES)
    assert "µs a check" in printed
