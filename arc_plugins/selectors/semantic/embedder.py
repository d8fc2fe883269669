"""What turns texts into vectors."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

__all__ = ["Embedder", "Vector"]

Vector = Sequence[float]


@runtime_checkable
class Embedder(Protocol):
    """An embedding model: near in meaning is near in direction.

    The selector asks once per run with the prompt, and once with the tools it has not seen before.
    """

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """A vector for each text, in their order; all of one length, of any scale."""
        ...
