"""Embeddings: texts as vectors, of which those of like meaning are near each other.

Retrievers ask when documents are put into an index, and once for a query; the semantic tool
selector asks once per run. What asks decides what a failure means: a query is answered by words
alone, and documents stay without vectors until they are added again. The slot may stay empty.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol, runtime_checkable

from arc_core.components.extension_points import slot

EmbeddedKind = Literal["query", "document"]
"""The use of a text: some models make other vectors of questions than of what answers them."""


@slot("embedder", group="arc.embedders", choice="embedder.provider")
@runtime_checkable
class Embedder(Protocol):
    """An embedding model.

    Attributes:
        dimensions: The length of every vector.
        name: Of the model, as its maker calls it. Vectors of another name or length are never
            compared.
    """

    dimensions: int
    name: str

    @abstractmethod
    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Sequence[float]]:
        """Return a vector for each text, in their order, of any length but zero.

        Args:
            texts: Any number, each of any length; none is blank.
            kind: What they are.

        Raises:
            ModelError: The vendor did not answer, or not with such vectors.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingUsage:
    """The tokens that an embedder was billed for.

    Attributes:
        tokens: As the vendor counted them.
        cost: In US dollars, not rounded; None if a price is not known.
    """

    tokens: int = 0
    cost: Decimal | None = None


@runtime_checkable
class CountsEmbeddings(Protocol):
    """An embedder that counts what it is billed for.

    `arc docs` asks one that is also one of these, before and after each batch of passages.
    """

    @property
    def usage(self) -> EmbeddingUsage:
        """All that it has been billed for since it was made."""
        ...
