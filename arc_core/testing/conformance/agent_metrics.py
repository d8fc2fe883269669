"""Rules of every `AgentMetrics` that the engine relies on."""

import inspect
from abc import ABC, abstractmethod

import pytest

from arc_core.errors import AgentErrorCode
from arc_core.interfaces.agent_metrics import (
    AgentMetrics,
    CacheLookup,
    FaultSource,
    ModelCallRecord,
    RunRecord,
)
from arc_core.messages import ToolOutcome
from arc_core.testing.conformance.components import check_names
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS
from arc_core.usage import TokenUsage

_CODES = (None, *AgentErrorCode)
_USAGES = (None, TokenUsage(10, 5))
_METHODS = [name for name in vars(AgentMetrics) if name.startswith("record_")]


class AgentMetricsConformance(ABC):
    """Inherit from it and say how your metrics are made."""

    @abstractmethod
    def make_metrics(self) -> AgentMetrics:
        """New metrics, which count in themselves alone."""

    def test_no_method_is_misspelt(self) -> None:
        """A method of another name is never called."""
        check_names(self.make_metrics(), AgentMetrics)

    @pytest.mark.parametrize("method", _METHODS)
    def test_they_record_at_once(self, method: str) -> None:
        """The engine calls every method and awaits none."""
        record = getattr(self.make_metrics(), method)

        assert not inspect.iscoroutinefunction(record), f"{method} would never be awaited"

    @pytest.mark.parametrize("code", _CODES, ids=str)
    def test_every_end_of_a_run_can_be_recorded(self, code: AgentErrorCode | None) -> None:
        """Of its model calls, too, with and without a usage."""
        metrics = self.make_metrics()

        for usage in _USAGES:
            metrics.record_run(
                RunRecord(streaming=True, error_code=code, duration_ms=0.0, token_usage=usage)
            )
            metrics.record_model_call(
                ModelCallRecord(
                    model=None, attempts=1, error_code=code, duration_ms=0.0, token_usage=usage
                )
            )

    @pytest.mark.parametrize("name", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    def test_every_tool_call_can_be_recorded(self, name: str) -> None:
        """A model may invent a tool of any name."""
        metrics = self.make_metrics()

        for outcome in ToolOutcome:
            metrics.record_tool_call(name, 0.0, outcome)

    def test_every_lookup_and_fault_can_be_recorded(self) -> None:
        """Whatever the cache said, and whichever component failed."""
        metrics = self.make_metrics()

        for lookup in CacheLookup:
            metrics.record_cache_lookup(lookup)
        for source in FaultSource:
            metrics.record_fault(source)
