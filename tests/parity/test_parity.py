"""Whatever a run meets, it comes to the same through every entry point."""

import pytest

from arc_core import ModelError
from tests.arc_core.engine.entry_points import events_of, executed, list_texts
from tests.parity.scenario import Scenario, seen_through
from tests.parity.scenarios import SCENARIOS

EVERY_SCENARIO = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)


@EVERY_SCENARIO
async def test_execute_and_execute_stream_come_to_the_same(scenario: Scenario) -> None:
    """Tools used, history, hook calls, codes, usage and requests do not depend on streaming."""
    whole = await seen_through(executed, scenario)
    streamed = await seen_through(list_texts, scenario)

    assert streamed == whole


@EVERY_SCENARIO
async def test_both_streams_come_to_the_same(scenario: Scenario) -> None:
    """The stream of texts is a projection of the stream of events, for those around it too."""
    events = await seen_through(events_of, scenario)
    texts = await seen_through(list_texts, scenario)

    assert texts == events


@EVERY_SCENARIO
async def test_a_scenario_takes_place(scenario: Scenario) -> None:
    """Each row ends as it says: parity of runs that went wrong alike would prove nothing."""
    seen = await seen_through(executed, scenario)

    response = seen.response
    assert response.error_code == scenario.code
    assert response.content == (scenario.content if response.success else None)
    assert response.tools_used == scenario.tools_used
    assert tuple(outcome for _, outcome in seen.tool_calls) == scenario.outcomes
    assert len(seen.requests) == len(scenario.turns)
    assert [name for name, _ in seen.hook_calls].count("after_agent_complete") == 1


def test_every_model_error_is_a_scenario() -> None:
    """A new class of model error has to get a row."""

    def tree(cls: type[ModelError]) -> set[type[ModelError]]:
        return {cls}.union(*map(tree, cls.__subclasses__()))

    arcs_own = {cls for cls in tree(ModelError) if cls.__module__ == ModelError.__module__}
    rows = {type(scenario.turns[0]) for scenario in SCENARIOS.values() if scenario.turns}

    assert arcs_own <= rows
