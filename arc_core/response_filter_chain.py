"""The response filters of an application, one after the other."""

import copy
from collections.abc import Callable, Iterable
from typing import Self

from arc_core.cancellation import leave_if_cancelled
from arc_core.errors import InvalidResponseError
from arc_core.interfaces.response_filter import ResponseFilter, ResponseFilterContext
from arc_core.log import get_logger

__all__ = ["ResponseFilterChain"]

logger = get_logger("response_filters")


class ResponseFilterChain:
    """Hands each filter the previous one's output; replacing it replaces all filters.

    Args:
        filters: In any order; they run by `order`, ties by class name.

    Attributes:
        filters: In the order in which they run.
    """

    _on_fault: Callable[[], None] | None = None

    def __init__(self, filters: Iterable[ResponseFilter] = ()) -> None:
        self.filters = tuple(sorted(filters, key=lambda f: (f.order, type(f).__name__)))

    def reporting(self, on_fault: Callable[[], None]) -> Self:
        """The same chain, which calls `on_fault` for every filter that fails and is skipped."""
        chain = copy.copy(self)
        chain._on_fault = on_fault  # noqa: SLF001 -- its own class
        return chain

    async def apply(self, content: str, context: ResponseFilterContext) -> str:
        """The content after all filters; one that raises or returns no text is skipped.

        Raises:
            InvalidResponseError: A filter says that the answer cannot be used.
        """
        for response_filter in self.filters:
            content = await self._applied(response_filter, content, context)
        return content

    async def _applied(
        self, response_filter: ResponseFilter, content: str, context: ResponseFilterContext
    ) -> str:
        name = type(response_filter).__name__
        try:
            filtered: object = await response_filter.filter(content, context)
        except InvalidResponseError:
            raise
        except Exception:  # a filter must not cost the answer
            logger.exception("response filter failed and was skipped", response_filter=name)
        else:
            leave_if_cancelled()
            if isinstance(filtered, str):
                return filtered
            logger.error("response filter returned no text and was skipped", response_filter=name)
        leave_if_cancelled()
        if self._on_fault is not None:
            self._on_fault()
        return content
