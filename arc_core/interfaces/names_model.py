"""What a chat model may add: who is asked for what, for measurements.

The engine reads it when it records a model call.
"""

from typing import Protocol, runtime_checkable

__all__ = ["NamesModel"]


@runtime_checkable
class NamesModel(Protocol):
    """A chat model that says which vendor and model it asks.

    Attributes:
        provider_name: As OpenTelemetry's conventions call the vendor (`openai`, `anthropic`).
        default_model: What is asked for if a request names no model.
    """

    provider_name: str

    @property
    def default_model(self) -> str:
        """The vendor's name of it."""
        ...
