"""A long run whose process is killed: it goes on with the same requests, in small."""

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")
pytest.importorskip("openai", reason="needs the extra openai")
pytest.importorskip("anthropic", reason="needs the extra anthropic")
pytest.importorskip("bpe_openai", reason="needs the extra tokens")

from benchmarks.long_run_kills import Kill, plan_kills, run
from benchmarks.prefix_vendors import VENDORS


@pytest.mark.slow
@pytest.mark.parametrize("api", VENDORS)
async def test_a_killed_run_sends_the_same_requests(
    api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed while the compactor is asked, after a tool, and before an answer."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-test")
    kills = [Kill("compact", 0, 0.0), Kill("reported", 1, 0.01), Kill("request", 1, 0.0)]

    whole = await run(api, 24, window=20_000)
    killed = await run(api, 24, window=20_000, kills=kills)

    assert killed.requests == whole.requests
    assert killed.compactions == whole.compactions
    assert killed.told == whole.told
    assert len(killed.told) == len(killed.compactions) > 1
    assert [kind for kind, _ in killed.kills] == [each.kind for each in kills]
    assert killed.result == whole.result == "Done."


def test_places_of_kills_depend_on_the_seed_alone() -> None:
    """And each kind of place is there as often as the others."""
    kinds = [each.kind for each in plan_kills(50, 28)]

    assert plan_kills(50, 28) == plan_kills(50, 28) != plan_kills(50, 29)
    assert {kinds.count(kind) for kind in kinds} == {10}
