"""All filters, as they are wired."""

from arc_core import AgentCommand, ResponseFilterContext
from arc_plugins.response_filter_chains.ordered import OrderedResponseFilterChain

CONTEXT = ResponseFilterContext(command=AgentCommand(user_prompt="question"))


class Appending:
    """Appends its order, once."""

    def __init__(self, order: int) -> None:
        self.order = order

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        """Append."""
        return f"{content} {self.order}"


async def test_filters_run_in_the_order_they_come_in() -> None:
    """The wiring has sorted them, and heeded `before` and `after`, which no `order` tells."""
    chain = OrderedResponseFilterChain(filters=[Appending(20), Appending(10)])

    assert await chain.apply("answer", CONTEXT) == "answer 20 10"
