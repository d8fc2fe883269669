"""Ratios of counted calls to the recorded ones: growth by a quarter fails, whatever the machine."""

import json
from functools import partial

import pytest

from arc_core import AgentCommand, Allowed, Guard, GuardRequest, GuardResult
from benchmarks.alone import get_weather, open_scripted, take_run
from benchmarks.call_counter import count_calls
from benchmarks.counts import RECORDED, VERSION, count_all, find_growth


class BusyGuard(Guard):
    """Lets every prompt in, after many calls."""

    async def check(self, request: GuardRequest) -> GuardResult:
        for _ in range(1_000):
            AgentCommand(user_prompt=request.text)
        return Allowed()


async def count_run(*parts: object) -> int:
    """Count the calls of a scripted run with these parts."""
    async with open_scripted(get_weather, *parts) as app:
        return await count_calls(partial(take_run, app))


@pytest.mark.slow
def test_no_ratio_of_calls_has_grown_by_a_quarter() -> None:
    """Arc beside the floor, its start beside the SDK's, and its runs without a network."""
    recorded = json.loads(RECORDED.read_text("utf-8"))
    if VERSION not in recorded:
        pytest.skip(f"no counts are recorded for Python {VERSION}")

    assert find_growth(recorded[VERSION], count_all()) == []


async def test_a_run_that_is_counted_again_makes_the_same_calls() -> None:
    """No other process and no garbage has a part in them."""
    least, second, _ = sorted([await count_run() for _ in range(3)])

    assert least == second  # a timer of the loop that is due meanwhile adds to one


async def test_a_guard_that_makes_many_calls_is_found() -> None:
    """The work is named, with the old ratio, the new one and how to record it."""
    before, after = await count_run(), await count_run(BusyGuard())

    [line] = find_growth({"run": {"arc": before}}, {"run": {"arc": after}})

    assert line.startswith(f"run: {before} has become {after};")
    assert "python -m benchmarks.counts --write" in line


def test_growth_is_that_of_the_ratio() -> None:
    """What costs more because the floor does has not grown."""
    recorded = {"run": {"arc": 150, "beside": 100}}

    assert find_growth(recorded, {"run": {"arc": 300, "beside": 200}}) == []
    assert find_growth(recorded, {"run": {"arc": 186, "beside": 100}}) == []
    assert len(find_growth(recorded, {"run": {"arc": 188, "beside": 100}})) == 1
