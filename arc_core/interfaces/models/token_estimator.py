"""Estimates of a text's tokens.

The engine asks once per message and system prompt, to keep requests inside the context window.
Called often: it must be fast, and it must not raise.
"""

from abc import abstractmethod
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import slot


@slot("token_estimator", group="arc.token_estimators")
@runtime_checkable
class TokenEstimator(Protocol):
    """Estimates tokens without asking the vendor."""

    @abstractmethod
    def estimate(self, text: str) -> int:
        """Tokens of a text: 0 for an empty one, at least 1 for any other; rather too many."""
