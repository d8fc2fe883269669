"""Clears the oldest tool results, then lists the calls of the oldest exchanges in their place.

The default. Costs nothing, loses nothing that the model cannot read again, and leaves the beginning
of requests as it is until half of the window is used again.
"""

from arc_core import Compaction, CompactionView, Compactor
from arc_core.defaults.clearing import clear_oldest


class ClearingCompactor(Compactor):
    """Old results first, old exchanges if that is not enough."""

    async def compact(self, view: CompactionView) -> Compaction:
        """Choose results, then exchanges, until half of the budget is free."""
        return clear_oldest(view)
