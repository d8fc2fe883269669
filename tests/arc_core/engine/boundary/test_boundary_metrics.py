"""Metrics: everything is measured, and a broken meter costs nothing."""

from collections.abc import Callable

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentMetrics,
    CacheLookup,
    CountsKeptRuns,
    FaultSource,
    KeptRunCounts,
    ModelCallRecord,
    RateLimitError,
    RunBody,
    RunRecord,
    TokenUsage,
    ToolCall,
    ToolOutcome,
    tool,
)
from arc_core.engine.boundary.boundary import SafeMetrics
from arc_core.testing import RecordingMetrics, ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from tests.arc_core.engine.entry_points import EVERY_ENTRY_POINT, EntryPoint

COMMAND = AgentCommand(user_prompt="Hello", model="large")
RUN = RunRecord(streaming=False, error_code=None, duration_ms=1, token_usage=None)
MODEL_CALL = ModelCallRecord(
    model=None, attempts=1, error_code=None, duration_ms=1, token_usage=None
)


@tool
async def clock() -> str:
    """The time."""
    return "noon"


class BrokenMetrics(AgentMetrics):
    """Cannot measure anything."""

    def record_run(self, record: RunRecord) -> None:
        raise RuntimeError

    def record_model_call(self, record: ModelCallRecord) -> None:
        raise RuntimeError

    def record_tool_call(self, name: str, duration_ms: float, outcome: ToolOutcome) -> None:
        raise RuntimeError

    def record_cache_lookup(self, lookup: CacheLookup) -> None:
        raise RuntimeError

    def record_fault(self, source: FaultSource) -> None:
        raise RuntimeError


class Runs(AgentMetrics):
    """Takes runs, by a function on the instance, as a wrapper may have."""

    def __init__(self) -> None:
        self.taken: list[RunRecord] = []
        self.record_run = self.taken.append  # type: ignore[assignment, method-assign]


@EVERY_ENTRY_POINT
async def test_what_metrics_do_not_take_is_not_recorded(entry_point: EntryPoint) -> None:
    """They inherit those methods from the interface."""
    metrics = Runs()

    await entry_point(scripted_agent(ScriptedChatModel(["Hi."]), agent_metrics=metrics), COMMAND)

    assert len(metrics.taken) == 1
    assert SafeMetrics(metrics).takes_runs
    assert not SafeMetrics(metrics).takes_model_calls


def measure_everything(metrics: AgentMetrics) -> None:
    """Every measurement once."""
    metrics.record_run(RUN)
    metrics.record_model_call(MODEL_CALL)
    metrics.record_tool_call("clock", 1, ToolOutcome.SUCCESS)
    metrics.record_cache_lookup(CacheLookup.HIT)
    metrics.record_fault(FaultSource.HOOK)


def test_measurements_are_passed_on() -> None:
    """The component gets every one of them unchanged."""
    metrics = RecordingMetrics()

    measure_everything(SafeMetrics(metrics))

    assert (metrics.runs, metrics.model_calls) == ([RUN], [MODEL_CALL])
    assert metrics.tool_calls == [("clock", ToolOutcome.SUCCESS)]
    assert metrics.cache_lookups == [CacheLookup.HIT]
    assert metrics.faults == [FaultSource.HOOK]


def test_a_broken_meter_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """What it raises does not come out."""
    measure_everything(SafeMetrics(BrokenMetrics()))

    assert [record.name for record in caplog.records] == ["arc.metrics"] * 5


@EVERY_ENTRY_POINT
async def test_a_run_does_not_need_its_metrics(entry_point: EntryPoint) -> None:
    """A run with a tool call ends well though nothing can be measured."""
    model = ScriptedChatModel([[ToolCall("1", "clock", "{}")], "Noon."])
    agent = scripted_agent(model, tools=(clock,), agent_metrics=BrokenMetrics())

    await entry_point(agent, COMMAND)

    model.assert_complete()


@EVERY_ENTRY_POINT
async def test_every_part_of_a_run_is_measured(entry_point: EntryPoint) -> None:
    """Model calls with their attempts, tool calls with their outcomes, the run with all usage."""
    metrics = RecordingMetrics()
    model = ScriptedChatModel(
        [[ToolCall("1", "clock", "{}")], RateLimitError(retry_after_s=0), "Noon."]
    )

    await entry_point(scripted_agent(model, tools=(clock,), agent_metrics=metrics), COMMAND)

    assert [(call.model, call.attempts) for call in metrics.model_calls] == [
        ("large", 1),
        ("large", 2),
    ]
    assert metrics.tool_calls == [("clock", ToolOutcome.SUCCESS)]
    assert [run.token_usage for run in metrics.runs] == [TokenUsage(20, 10)]
    assert all(run.duration_ms > 0 for run in metrics.runs)
    assert all(call.duration_ms > 0 for call in metrics.model_calls)


@EVERY_ENTRY_POINT
async def test_a_failed_run_is_measured(entry_point: EntryPoint) -> None:
    """Runs and model calls carry the code."""
    metrics = RecordingMetrics()
    agent = scripted_agent(ScriptedChatModel([ValueError()]), agent_metrics=metrics)

    await entry_point(agent, COMMAND)

    assert [run.error_code for run in metrics.runs] == [AgentErrorCode.UNKNOWN]
    assert [call.error_code for call in metrics.model_calls] == [AgentErrorCode.UNKNOWN]


class CountingMetrics(RecordingMetrics, CountsKeptRuns):
    """Counts kept runs, too, or cannot."""

    def __init__(self, *, is_broken: bool = False) -> None:
        super().__init__()
        self.counts: list[KeptRunCounts] = []
        self._is_broken = is_broken

    def record_kept_runs(self, counts: KeptRunCounts) -> None:
        if self._is_broken:
            raise RuntimeError
        self.counts.append(counts)


class ReportingJournals(DictRunJournals):
    """Tells of one waiting run while it starts."""

    record: Callable[[KeptRunCounts], None]

    def report_runs(self, record: Callable[[KeptRunCounts], None]) -> None:
        self.record = record

    async def start(self, body: RunBody) -> None:
        self.record(KeptRunCounts(waiting=1))


async def test_metrics_are_told_of_kept_runs() -> None:
    """By journals that tell of them."""
    metrics = CountingMetrics()
    agent = scripted_agent(
        ScriptedChatModel([]), agent_metrics=metrics, run_journals=ReportingJournals()
    )

    await agent.start()

    assert metrics.counts == [KeptRunCounts(waiting=1)]


@pytest.mark.parametrize("metrics", [RecordingMetrics(), CountingMetrics(is_broken=True)])
async def test_journals_need_not_know_the_metrics(metrics: AgentMetrics) -> None:
    """Metrics that do not count kept runs, or cannot, keep no journal from starting."""
    agent = scripted_agent(
        ScriptedChatModel([]), agent_metrics=metrics, run_journals=ReportingJournals()
    )

    await agent.start()
