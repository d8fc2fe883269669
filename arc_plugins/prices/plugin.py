"""Registers the list of prices, if its package is there."""

from arc_core import ModelPrices, Registry, hookimpl
from arc_core.conditions import on_package


@hookimpl
def arc_register(registry: Registry) -> None:
    """The list of the package, else one that is empty."""
    listed = on_package("genai-prices>=0.2.3", install="arc-agents[prices]")
    for name, component, condition in (
        ("genai", "genai_prices:GenaiModelPrices", listed),
        ("none", "no_model_prices:NoModelPrices", ~listed),
    ):
        place = f"arc_plugins.prices.{component}"
        registry.provide(ModelPrices, place, name=name, condition=condition)
