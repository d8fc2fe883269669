"""All response filters in the order of the wiring: the default."""

from arc_core import ResponseFilter, ResponseFilterChain


class OrderedResponseFilterChain(ResponseFilterChain):
    """Runs every contributed filter.

    Args:
        filters: In their order, with `before` and `after` heeded, which no `order` tells.
    """

    def __init__(self, *, filters: list[ResponseFilter]) -> None:
        super().__init__()
        self.filters = tuple(filters)
