"""What runs do becomes figures."""

from decimal import Decimal

import pytest

from arc_core import (
    AgentErrorCode,
    CacheLookup,
    FaultSource,
    KeptRunCounts,
    ModelCallRecord,
    RunRecord,
    TokenUsage,
    ToolOutcome,
)
from arc_plugins.metrics.open_telemetry.metrics import OpenTelemetryAgentMetrics as Meters
from tests.arc_plugins.metrics.open_telemetry.telemetry import Telemetry

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai"}


@pytest.fixture
def telemetry() -> Telemetry:
    """A new one."""
    return Telemetry()


@pytest.fixture
def meters(telemetry: Telemetry) -> Meters:
    """Those that record there."""
    return telemetry.metrics()


def test_a_model_call_has_duration_tokens_and_retries(telemetry: Telemetry, meters: Meters) -> None:
    """In seconds and tokens, with the model that was asked for."""
    meters.record_model_call(
        ModelCallRecord(
            model="m", attempts=3, error_code=None, duration_ms=1500, token_usage=TokenUsage(7, 2)
        )
    )

    call = frozenset({**CHAT, "gen_ai.request.model": "m"}.items())
    sent = frozenset({*call, ("gen_ai.token.type", "input")})
    received = frozenset({*call, ("gen_ai.token.type", "output")})
    tokens = telemetry.points("gen_ai.client.token.usage")
    assert telemetry.points("gen_ai.client.operation.duration")[call].sum == 1.5
    assert {key: point.sum for key, point in tokens.items()} == {sent: 7, received: 2}
    assert telemetry.points("arc.model.retries")[call].value == 2


@pytest.mark.parametrize(
    ("usage", "shares"),
    [(TokenUsage(8, 2, cached_tokens=6), [0.75]), (TokenUsage(8, 2), [0]), (TokenUsage(0, 2), [])],
)
def test_a_model_call_has_its_cached_share(
    telemetry: Telemetry, meters: Meters, usage: TokenUsage, shares: list[float]
) -> None:
    """Of the prompt; nothing of a call whose prompt was not counted."""
    meters.record_model_call(
        ModelCallRecord(model="m", attempts=1, error_code=None, duration_ms=1, token_usage=usage)
    )

    assert [point.sum for point in telemetry.points("arc.model.cached_share").values()] == shares


def test_a_model_call_has_its_cost_its_name_and_its_fallback(
    telemetry: Telemetry, meters: Meters
) -> None:
    """Of a model that the settings list and give a price."""
    meters.record_model_call(
        ModelCallRecord(
            model="m",
            attempts=1,
            error_code=None,
            duration_ms=1,
            token_usage=None,
            name="quick",
            cost=Decimal("0.25"),
            fallback="local",
        )
    )

    call = frozenset({**CHAT, "gen_ai.request.model": "m", "arc.model.name": "quick"}.items())
    switch = frozenset({*call, ("arc.model.fallback", "local")})
    assert telemetry.points("arc.model.cost")[call].value == 0.25
    assert telemetry.points("arc.model.fallbacks")[switch].value == 1


def test_a_failure_has_its_type(telemetry: Telemetry, meters: Meters) -> None:
    """The code of the run's or the call's end; no usage is not tokens."""
    meters.record_model_call(
        ModelCallRecord(
            model=None,
            attempts=1,
            error_code=AgentErrorCode.TIMEOUT,
            duration_ms=1,
            token_usage=None,
        )
    )

    (call,) = telemetry.points("gen_ai.client.operation.duration")
    assert call == frozenset({**CHAT, "error.type": "TIMEOUT"}.items())
    assert telemetry.points("gen_ai.client.token.usage") == {}
    assert telemetry.points("arc.model.retries") == {}


def test_a_run_has_its_duration(telemetry: Telemetry, meters: Meters) -> None:
    """By how it ended."""
    for code in (None, AgentErrorCode.CANCELLED):
        meters.record_run(
            RunRecord(streaming=False, error_code=code, duration_ms=20, token_usage=None)
        )

    ends = {dict(key).get("error.type") for key in telemetry.points("gen_ai.invoke_agent.duration")}
    assert ends == {None, "CANCELLED"}


@pytest.mark.parametrize("outcome", ToolOutcome)
def test_invented_names_make_no_series(
    telemetry: Telemetry, meters: Meters, outcome: ToolOutcome
) -> None:
    """Only a tool that was found is named."""
    meters.record_tool_call("search", 5, outcome)

    (key,) = telemetry.points("gen_ai.execute_tool.duration")
    found = outcome not in {ToolOutcome.NOT_FOUND, ToolOutcome.BLOCKED, ToolOutcome.LIMIT_REACHED}
    assert dict(key)["gen_ai.tool.name"] == ("search" if found else "_OTHER")
    assert dict(key).get("error.type") == (None if outcome == "success" else outcome.value)


def test_boundaries_are_those_of_the_conventions(telemetry: Telemetry, meters: Meters) -> None:
    """From a hundredth of a second to more than a minute."""
    meters.record_tool_call("search", 5, ToolOutcome.SUCCESS)

    (point,) = telemetry.points("gen_ai.execute_tool.duration").values()
    assert point.explicit_bounds[0] == pytest.approx(0.01)
    assert point.explicit_bounds[-1] == pytest.approx(81.92)


def test_cache_and_faults_are_counted(telemetry: Telemetry, meters: Meters) -> None:
    """By what they came to, and by their source."""
    meters.record_cache_lookup(CacheLookup.HIT)
    meters.record_fault(FaultSource.RETRIEVAL)

    (hit,) = telemetry.points("arc.response_cache.lookups")
    (fault,) = telemetry.points("arc.faults")
    assert hit == frozenset({("arc.response_cache.result", "hit")})
    assert fault == frozenset({("arc.fault.source", "retrieval")})


def test_runs_are_told_apart_by_their_agent(telemetry: Telemetry, meters: Meters) -> None:
    """Not those of the default one; names that no agent has make no series of their own."""
    for agent in ("default", "refunds", None):
        meters.record_run(
            RunRecord(
                streaming=False, error_code=None, duration_ms=20, token_usage=None, agent=agent
            )
        )

    points = telemetry.points("gen_ai.invoke_agent.duration")
    assert {dict(key).get("gen_ai.agent.name") for key in points} == {None, "refunds", "_OTHER"}


def test_kept_runs_are_gauged(telemetry: Telemetry, meters: Meters) -> None:
    """As they were told last; those that were taken over are added up."""
    meters.record_kept_runs(KeptRunCounts(waiting=3, queued=2, running=1, taken_over=2))
    meters.record_kept_runs(KeptRunCounts(waiting=4, queued=0, running=1, taken_over=1))

    figures = {
        name: [point.value for point in telemetry.points(f"arc.runs.{name}").values()]
        for name in ("waiting", "queued", "running", "taken_over")
    }
    assert figures == {"waiting": [4], "queued": [0], "running": [1], "taken_over": [3]}
