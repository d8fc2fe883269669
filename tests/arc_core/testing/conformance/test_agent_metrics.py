"""The suite for metrics fails for those that break their contract, and passes for good ones."""

from typing import Any

from arc_core import AgentErrorCode, AgentMetrics, CacheLookup, ToolOutcome
from arc_core.testing import RecordingMetrics
from arc_core.testing.conformance.agent_metrics import AgentMetricsConformance
from tests.arc_core.testing.conformance.suites import Fault, FindsFaults, make_good_suite

TestRecordingMetrics = make_good_suite(AgentMetricsConformance, RecordingMetrics)


class AwaitedMetrics(AgentMetrics):
    """Wants to be awaited."""

    async def record_run(self, record: Any) -> None:  # type: ignore[override]
        ...


class PickyMetrics(AgentMetrics):
    """Knows some of what is told, and breaks on the rest."""

    def record_run(self, record: Any) -> None:
        assert record.token_usage is not None

    def record_tool_call(self, name: str, duration_ms: float, outcome: ToolOutcome) -> None:
        name.encode("ascii")

    def record_cache_lookup(self, lookup: CacheLookup) -> None:
        {CacheLookup.HIT: 1}[lookup]


FAULTS = [
    Fault(AwaitedMetrics, "they_record_at_once", "record_run", match="never be awaited"),
    Fault(PickyMetrics, "every_end_of_a_run_can_be_recorded", AgentErrorCode.TIMEOUT),
    Fault(PickyMetrics, "every_tool_call_can_be_recorded", "도구", error=UnicodeEncodeError),
    Fault(PickyMetrics, "every_lookup_and_fault_can_be_recorded", error=KeyError),
]


class TestFaults(FindsFaults):
    """Each of them is found."""

    suite, faults = AgentMetricsConformance, FAULTS
