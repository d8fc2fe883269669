"""The compactor that clears old results: the rules of all."""

from arc_core import Compactor
from arc_core.testing.conformance.conversations.compactor import CompactorConformance
from arc_plugins.compactors.clearing import ClearingCompactor


class TestConformance(CompactorConformance):
    """What every compactor must do."""

    def make_compactor(self) -> Compactor:
        """As it is wired by default."""
        return ClearingCompactor()
