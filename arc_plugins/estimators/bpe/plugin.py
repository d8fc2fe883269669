"""Offers the exact count, if it is chosen and its library is there."""

from arc_core import Registry, TokenEstimator, hookimpl
from arc_core.conditions import on_package, on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """Another vendor's window is not to be measured by OpenAI's vocabulary without being asked."""
    registry.provide(
        TokenEstimator,
        "arc_plugins.estimators.bpe.estimator:BpeTokenEstimator",
        name="bpe",
        condition=on_setting("components.token_estimator", "bpe")
        & on_package("bpe-openai>=0.1.4", install="arc-agents[tokens]"),
    )
