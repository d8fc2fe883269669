"""Retrieval of the documents that a run reads.

The engine asks once per run with the user's prompt, within `rag.retrieval_timeout_s`. Fails open:
without documents the run goes on.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from arc_core.components.extension_points import slot


@dataclass(frozen=True, slots=True)
class Document:
    """A passage that may help to answer.

    Attributes:
        text: The passage.
        source: Where it is from: a path or an address.
        score: How well it fits; greater is better, comparable within one retrieval only.
        metadata: Whatever the retriever knows besides.
    """

    text: str
    source: str = ""
    score: float = 0.0
    metadata: Mapping[str, Any] = field(default_factory=dict)


@slot("retriever", group="arc.retrievers")
@runtime_checkable
class Retriever(Protocol):
    """Finds documents."""

    @abstractmethod
    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        """At most `limit` documents, best first."""
        ...
