"""Retrieval of the documents that a run reads.

The engine asks once per run with the user's prompt, within `rag.retrieval_timeout_s`, and with the
run's tenant as the filter unless `rag.tenant_filter` is off. Fails open: without documents the run
goes on.
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
        metadata: Whatever the retriever knows besides, and what the document was added with.
    """

    text: str
    source: str = ""
    score: float = 0.0
    metadata: Mapping[str, Any] = field(default_factory=dict)


TENANT_KEY = "tenant"
"""The key of metadata with the tenant that a document belongs to; without it, to all of them."""


@slot("retriever", group="arc.retrievers")
@runtime_checkable
class Retriever(Protocol):
    """Finds documents."""

    @abstractmethod
    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        """Return at most `limit` documents, best first.

        Args:
            query: A person's words.
            limit: How many are wanted.
            filter: Metadata that a document must have, each key with its value. Only of `tenant`
                it need not have any: a document without it belongs to all tenants. A blank tenant
                finds these alone.
        """
        ...
