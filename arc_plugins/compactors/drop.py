"""Leaves out the oldest exchanges, no more than needed.

Pick it where a model must see its last exchanges whole, and the price of a request does not matter:
once the window is full, each request begins otherwise than the one before, and vendors' caches of
prompts do not help. What is left out can still be read by its key, if the model knows that.
"""

from arc_core import Compaction, CompactionView, Compactor


class DroppingCompactor(Compactor):
    """The oldest exchanges, one by one; nothing stands in their place."""

    async def compact(self, view: CompactionView) -> Compaction:
        """Choose as few exchanges as will do."""
        tokens, dropped = view.tokens, 0
        for exchange in view.exchanges:
            if tokens <= view.budget:
                break
            tokens -= exchange.tokens
            dropped += 1
        return Compaction(dropped=dropped)
