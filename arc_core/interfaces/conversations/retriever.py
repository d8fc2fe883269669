"""Retrieval of the documents that a run reads.

The engine asks once per run with the user's prompt, within `rag.retrieval_timeout_s`, and with the
run's tenant as the filter unless `rag.tenant_filter` is off. Fails open: without documents the run
goes on.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from arc_core.components.extension_points import slot
from arc_core.interfaces.models.embedder import EmbeddingUsage


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


class Indexing(StrEnum):
    """The outcome of indexing a file."""

    ADDED = "added"
    REPLACED = "replaced"
    """It was in the index already, and its passages are now those of the file."""

    SKIPPED = "skipped"
    """It could not be read; what the index had of it stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedFile:
    """A file, and what the index has of it.

    Attributes:
        source: What documents from this file have as their source.
        outcome: What became of it.
        passages: How many the index has of it now, as far as this call has put them there.
        note: Why it was skipped, or what could not be read of it; for people.
    """

    source: str
    outcome: Indexing
    passages: int = 0
    note: str | None = None


class IndexingStage(StrEnum):
    """The steps of adding files."""

    READING = "reading"
    """Files are read, and can be found by words."""

    EMBEDDING = "embedding"
    """Passages get vectors, and can be found by meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingProgress:
    """The progress of adding files.

    Attributes:
        stage: The step.
        done: Files that were read, or passages that were embedded.
        total: All of them in this step, as far as is known.
        usage: What the embedder was billed for, in all steps so far; None if it does not say.
    """

    stage: IndexingStage
    done: int
    total: int
    usage: EmbeddingUsage | None = None


OnProgress = Callable[[IndexingProgress], None]
"""Called in the event loop after each file and each batch; what it raises ends the call."""


@runtime_checkable
class IndexesFiles(Protocol):
    """A retriever whose documents come from files that people put into its index.

    `arc docs` asks a retriever that is also one of these. The retriever need not be started.
    """

    @abstractmethod
    async def add_files(
        self,
        paths: Sequence[Path],
        *,
        metadata: Mapping[str, str] = {},
        on_progress: OnProgress | None = None,
    ) -> Sequence[IndexedFile]:
        """Read files, and the files of folders, into the index; an earlier reading is replaced.

        If the index is searched by meaning, all of its passages that have no vector get one. What
        was done before a failure stays, and another call goes on from there.

        Args:
            paths: Files and folders.
            metadata: By which all of them can be filtered; added to what a file has already.
            on_progress: Told how far it has come.

        Returns:
            What became of each file, in the order of their sources.

        Raises:
            ConfigurationError: The index cannot be opened or written, or has vectors of another
                embedder, or metadata is blank.
            ModelError: The embedder failed; the files are in the index, and found by words.
        """

    @abstractmethod
    async def indexed_files(self) -> Mapping[str, int]:
        """The number of passages by source, in the order of the sources.

        Raises:
            ConfigurationError: The index cannot be opened.
        """

    @abstractmethod
    async def remove_files(self, sources: Sequence[str]) -> Sequence[str]:
        """Forget files; those of the sources that the index had.

        Raises:
            ConfigurationError: The index cannot be opened or written.
        """


@runtime_checkable
class EmbedsPassages(Protocol):
    """A retriever that finds by meaning, in an index that keeps vectors of one embedder.

    `arc docs embed` asks a retriever that is also one of these. The retriever need not be started.
    """

    @abstractmethod
    async def embed_passages(self, *, on_progress: OnProgress | None = None) -> int:
        """Give a vector of the embedder to every passage without one, and forget those of others.

        Until all passages have theirs, vectors of another embedder stay, so that an application
        that still has that one goes on finding. What was done before a failure stays.

        Returns:
            The number of passages that were embedded.

        Raises:
            ConfigurationError: The index cannot be opened or written, or there is no embedder.
            ModelError: The embedder failed.
        """
