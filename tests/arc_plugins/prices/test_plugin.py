"""Which prices are wired is decided by what is installed."""

from arc_core import ModelPrices
from arc_plugins.prices.plugin import arc_register
from tests.arc_plugins.registrations import RecordingRegistry


def test_the_list_is_wired_if_its_package_is_there() -> None:
    """Else one that is empty; either is made of nothing."""
    registry = RecordingRegistry()
    arc_register(registry)
    package = 'package genai-prices>=0.2.3 is installed (pip install "arc-agents[prices]")'

    made = registry.registrations
    assert str(made["genai"].condition) == package
    assert "genai-prices" in str(made["none"].condition)
    assert all(isinstance(each.imported()(), ModelPrices) for each in made.values())
