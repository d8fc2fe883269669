"""All response filters by their order: the default. Setting: `response.filters_enabled`."""

from arc_core import ResponseFilter, ResponseFilterChain
from arc_core.settings import ResponseSettings

__all__ = ["OrderedResponseFilterChain"]


class OrderedResponseFilterChain(ResponseFilterChain):
    """Runs every contributed filter, or none where filters are switched off.

    Args:
        filters: In their order, with `before` and `after` heeded.
        settings: Have the switch.
    """

    def __init__(self, *, filters: list[ResponseFilter], settings: ResponseSettings) -> None:
        super().__init__()
        self.filters = tuple(filters) if settings.filters_enabled else ()
