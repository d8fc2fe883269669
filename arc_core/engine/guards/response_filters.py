"""The response filters of an application, one after the other."""

import copy
from collections.abc import Iterable
from functools import partial
from typing import Self

from arc_core.components.extension_points import slot
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.interfaces.guards.response_filter import ResponseFilter, ResponseFilterContext


@slot("response_filter_chain", group="arc.response_filter_chains")
class ResponseFilterChain:
    """Hands each filter the previous one's output; replacing it replaces all filters.

    Args:
        filters: In any order; they run by `order`, ties by class name.

    Attributes:
        filters: In the order in which they run.
    """

    _boundary: Boundary | None = None

    def __init__(self, filters: Iterable[ResponseFilter] = ()) -> None:
        self.filters = tuple(sorted(filters, key=lambda f: (f.order, type(f).__name__)))

    def bind(self, boundary: Boundary) -> Self:
        """The same chain, whose filters are called through the boundary of an engine."""
        chain = copy.copy(self)
        chain._boundary = boundary  # noqa: SLF001 -- its own class
        return chain

    async def apply(self, content: str, context: ResponseFilterContext) -> str:
        """The content after all filters; one that fails is skipped.

        Raises:
            InvalidResponseError: A filter says that the answer cannot be used.
        """
        boundary = self._boundary or Boundary()
        for response_filter in self.filters:
            filtered = await boundary.call(
                policies.RESPONSE_FILTER,
                response_filter,
                partial(response_filter.filter, content, context),
            )
            content = content if isinstance(filtered, Failed) else filtered
        return content
