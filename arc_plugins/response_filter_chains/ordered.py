"""All response filters by their order: the default. Setting: `response.filters_enabled`."""

from arc_core import AgentMetrics, FaultSource, ResponseFilter, ResponseFilterChain
from arc_core.settings import ResponseSettings

__all__ = ["OrderedResponseFilterChain"]


class OrderedResponseFilterChain(ResponseFilterChain):
    """Runs every contributed filter, or none where filters are switched off; counts the failed."""

    def __init__(
        self, *, filters: list[ResponseFilter], settings: ResponseSettings, metrics: AgentMetrics
    ) -> None:
        super().__init__(
            filters if settings.filters_enabled else (),
            on_fault=lambda: metrics.record_fault(FaultSource.RESPONSE_FILTER),
        )
