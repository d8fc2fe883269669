"""The benchmark of long runs in small: its promises hold for every vendor's bytes."""

import pytest

pytest.importorskip("openai", reason="needs the extra openai")
pytest.importorskip("anthropic", reason="needs the extra anthropic")
pytest.importorskip("bpe_openai", reason="needs the extra tokens")

from benchmarks.long_runs import make_facts, measure, write_report
from benchmarks.prefix_vendors import VENDORS


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-test")


@pytest.mark.slow
@pytest.mark.parametrize("vendor", VENDORS)
async def test_requests_of_a_long_run_begin_alike_and_lose_nothing(vendor: str) -> None:
    """With a window that is full after forty turns."""
    figures = await measure(VENDORS[vendor], turns=80, facts=20, window=60_000)

    assert figures.kept > 0.9
    assert min(figures.kept_by_request) < 0.9, "the window was never full"
    assert figures.found == 20
    assert figures.most_tokens < 60_000


@pytest.mark.slow
async def test_summaries_keep_the_beginning_as_well() -> None:
    """Between two of them; questions for them are not requests of the run."""
    form = VENDORS["openai chat"]

    figures = await measure(
        form, turns=120, facts=10, window=12_000, compaction="summary", sizes=(2_000,)
    )

    assert figures.summaries > 0
    assert figures.requests <= 120 + 2 * 10 + 1
    assert figures.kept > 0.8
    assert figures.found == 10


@pytest.mark.slow
async def test_dropping_exchanges_keeps_little_of_the_beginning() -> None:
    """Which is why it is not the default."""
    figures = await measure(
        VENDORS["openai chat"], turns=80, facts=0, window=40_000, compaction="drop"
    )

    assert figures.kept < 0.7


def test_each_fact_stands_in_its_report() -> None:
    """Three in ten are Korean, and one in ten stands in a long line."""
    facts = make_facts(100, 50)

    assert all(fact.sentence in write_report(fact.turn, facts) for fact in facts)
    assert sum(not fact.question.isascii() for fact in facts) == 15
    assert sum(fact.is_in_long_line for fact in facts) == 5
