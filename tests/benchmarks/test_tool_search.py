"""How well tools are found by the words of their own documentation, and at what size."""

import pytest

pytest.importorskip("openai", reason="needs the extra openai")
pytest.importorskip("anthropic", reason="needs the extra anthropic")
pytest.importorskip("bpe_openai", reason="needs the extra tokens")

from benchmarks.prefix_vendors import VENDORS
from benchmarks.tool_search import make_tasks, make_tools, measure


@pytest.mark.slow
async def test_one_of_a_thousand_tools_is_found_in_a_small_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By one search, in 95 % of tasks, in 3 000 tokens, and requests begin alike."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    figures = await measure(VENDORS["openai chat"], tools=1_000, tasks=40)

    assert figures.found >= 0.95
    assert figures.most_tokens <= 3_000
    assert figures.kept >= 0.95


def test_tasks_are_the_same_each_time() -> None:
    """So that figures can be compared, and a part of them is in Korean."""
    tools = make_tools(1_000)

    tasks = make_tasks(tools, 200)

    assert len({each.name for each in tools}) == 1_000
    assert tasks == make_tasks(make_tools(1_000), 200)
    assert any(each.category == "office" for each in tools)
