"""All filters, or none."""

from arc_core import AgentCommand, FaultSource, ResponseFilterContext
from arc_core.settings import ResponseSettings
from arc_core.testing.fakes import RecordingMetrics
from arc_plugins.response_filter_chains.ordered import OrderedResponseFilterChain

CONTEXT = ResponseFilterContext(command=AgentCommand(user_prompt="question"))


class Appending:
    """Appends its order, once."""

    def __init__(self, order: int) -> None:
        self.order = order

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        """Append."""
        return f"{content} {self.order}"


class Failing:
    """Fails."""

    order = 50

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        """Fail."""
        raise ValueError(content)


async def test_filters_run_by_their_order() -> None:
    """A lower order comes first, however they were contributed."""
    chain = OrderedResponseFilterChain(
        filters=[Appending(20), Appending(10)],
        settings=ResponseSettings(),
        metrics=RecordingMetrics(),
    )

    assert await chain.apply("answer", CONTEXT) == "answer 10 20"


async def test_the_master_switch_leaves_the_answer_alone() -> None:
    """`response.filters_enabled = false` is no filter at all."""
    chain = OrderedResponseFilterChain(
        filters=[Appending(10)],
        settings=ResponseSettings(filters_enabled=False),
        metrics=RecordingMetrics(),
    )

    assert await chain.apply("answer", CONTEXT) == "answer"


async def test_a_failed_filter_is_counted() -> None:
    """The metrics know of a filter that failed and was skipped."""
    metrics = RecordingMetrics()
    chain = OrderedResponseFilterChain(
        filters=[Failing()], settings=ResponseSettings(), metrics=metrics
    )

    assert await chain.apply("answer", CONTEXT) == "answer"
    assert metrics.faults == [FaultSource.RESPONSE_FILTER]
