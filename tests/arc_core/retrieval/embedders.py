"""Embedders without a model: one that knows a few meanings, and ones that do something wrong."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from arc_core import EmbeddedKind, Embedder, EmbeddingUsage, ModelUnavailableError
from arc_core.text.terms import split_terms

CONCEPTS = {
    "leave": 0, "holiday": 0, "vacation": 0,
    "weather": 1, "rain": 1, "umbrella": 1,
    "salary": 2, "pay": 2, "money": 2,
}  # fmt: skip


class ConceptEmbedder(Embedder):
    """Counts the concepts of a text; bills a token a text, at a cent.

    Attributes:
        texts: All that it has been asked for, in their order.
    """

    dimensions = 4
    name = "concepts"

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.usage = EmbeddingUsage(cost=Decimal())

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Sequence[float]]:
        """A vector of counts for each text."""
        self.texts += texts
        tokens = self.usage.tokens + len(texts)
        self.usage = EmbeddingUsage(tokens=tokens, cost=Decimal(tokens) / 100)
        return [self.make_vector(text) for text in texts]

    def make_vector(self, text: str) -> list[float]:
        """Return the number of words of each concept, and a little of none."""
        vector = [0.0] * (self.dimensions - 1) + [0.01]
        for term in split_terms(text):
            if term in CONCEPTS:
                vector[CONCEPTS[term]] += 1
        return vector


class FailingEmbedder(ConceptEmbedder):
    """Embeds so many texts, and then fails."""

    def __init__(self, texts: int, error: BaseException | None = None) -> None:
        super().__init__()
        self._left, self._error = texts, error or ModelUnavailableError("it is down")

    def allow(self, texts: int) -> None:
        """Embed so many texts more."""
        self._left += texts

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Sequence[float]]:
        """Vectors, as long as there are texts left."""
        if len(texts) > self._left:
            raise self._error
        self._left -= len(texts)
        return await super().embed(texts, kind=kind)


class UnreachableEmbedder(FailingEmbedder):
    """Embeds nothing."""

    def __init__(self) -> None:
        super().__init__(0)


class BrokenEmbedder(ConceptEmbedder):
    """Returns what is given for all texts."""

    def __init__(self, vectors: Any) -> None:
        super().__init__()
        self._vectors = vectors

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Sequence[float]]:
        """What was given."""
        del texts, kind
        vectors: Sequence[Sequence[float]] = self._vectors
        return vectors
