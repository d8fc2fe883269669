"""The compactor that leaves out the oldest exchanges one by one."""

from arc_core import Compactor
from arc_core.testing.conformance.conversations.compactor import (
    CompactorConformance,
    count_after,
    make_view,
)
from arc_plugins.compactors.drop import DroppingCompactor


class TestConformance(CompactorConformance):
    """What every compactor must do."""

    def make_compactor(self) -> Compactor:
        """As it is wired by its setting."""
        return DroppingCompactor()


async def test_no_more_is_left_out_than_needed() -> None:
    """One exchange fewer would not fit, and nothing is cleared."""
    view = make_view([300] * 10, budget=2000)

    chosen = await DroppingCompactor().compact(view)

    assert chosen.cleared == ()
    assert count_after(view, chosen) <= 2000 < count_after(view, chosen) + 330
