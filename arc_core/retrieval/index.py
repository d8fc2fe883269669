"""The database of a retriever: passages, which are found by their words and by vectors.

`IndexRetriever` asks: once or twice per run to find passages, once to read the best of them, and
for each file and each batch of vectors while files are added. An error of an index ends what was
asked for; nothing stands in.
"""

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol, runtime_checkable

from arc_core.interfaces.conversations.retriever import Document
from arc_core.retrieval.passages import Passage

Vector = Sequence[float]
"""Finite numbers; the length of the vector, as a direction in space, is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSpace:
    """The identity of an embedder; vectors of two spaces are never compared.

    Attributes:
        name: Of the model.
        dimensions: The number of numbers in each vector.
    """

    name: str
    dimensions: int

    def __str__(self) -> str:
        return f"{self.name} ({self.dimensions} numbers)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """A document as it goes into an index.

    Attributes:
        source: Its path or address, by which it is replaced and removed.
        title: For people; empty for none.
        passages: In the order of the document, at least one.
        metadata: By which it can be filtered.
    """

    source: str
    title: str
    passages: Sequence[Passage]
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The same for equal titles and passages, in hexadecimal digits."""
        content = [self.title, *((each.heading, each.text) for each in self.passages)]
        return sha256(json.dumps(content).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedSource:
    """A document, as an index has it.

    Attributes:
        passages: Their number.
        digest: That of the document it was made from; empty if it is not known.
        metadata: As it was given with the document.
    """

    passages: int
    digest: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnembeddedPassage:
    """A passage that has no vector yet.

    Attributes:
        id: In its index; never used for another passage, not even after this one is gone.
        passage: What is to be embedded.
    """

    id: int
    passage: Passage


@dataclass(frozen=True, slots=True)
class Match:
    """A passage that fits a query.

    Attributes:
        id: In its index.
        score: How well it fits; greater is better, comparable within one search only.
    """

    id: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPassage:
    """A passage, as an index has it.

    Attributes:
        id: In its index.
        passage: As it was put there.
        source: Of its document.
        title: Of its document; empty for none.
        number: Its place in the document, from 1 on.
        metadata: Of its document.
    """

    id: int
    passage: Passage
    source: str
    title: str
    number: int
    metadata: Mapping[str, str]

    def as_document(self, score: float) -> Document:
        """Return it as runs get it; metadata of its document stands before what is derived."""
        derived = {"heading": self.passage.heading, "number": self.number}
        if self.title:
            derived["title"] = self.title
        return Document(self.passage.with_heading, self.source, score, {**derived, **self.metadata})


@runtime_checkable
class PassageIndex(Protocol):
    """Keeps passages and their vectors.

    Several processes may ask at once, and several calls of one process. No call blocks the event
    loop. Searches take the filter of `Retriever.retrieve`, tenants included, and apply it before
    they count: fewer than `limit` passages means that there are no more.

    Attributes:
        place: The database, for people; holds no password.
    """

    place: str

    @abstractmethod
    async def start(self, *, create: bool = False) -> None:
        """Open the index, and see that it fits this version of Arc.

        Args:
            create: Make it if it is not there, and bring one of an earlier version up to date.

        Raises:
            ConfigurationError: It is not there, cannot be opened, or does not fit.
        """

    @abstractmethod
    async def aclose(self) -> None:
        """Close what `start` has opened; it may be started again."""

    @abstractmethod
    async def get_sources(self) -> Mapping[str, IndexedSource]:
        """Return all documents by their source, in the order of the sources."""

    @abstractmethod
    async def replace(self, document: SourceDocument) -> None:
        """Keep this of a source and nothing that was there before, all of it or nothing.

        Vectors of passages that the source had already, with the same heading and text, are kept:
        such a passage need not be embedded again.
        """

    @abstractmethod
    async def remove(self, sources: Sequence[str]) -> Sequence[str]:
        """Forget documents with all that belongs to them; return those that were there."""

    @abstractmethod
    async def get_spaces(self) -> Mapping[VectorSpace, int]:
        """Return the number of vectors of each space that has any."""

    @abstractmethod
    async def get_unembedded(
        self, space: VectorSpace, *, after: int, limit: int
    ) -> Sequence[UnembeddedPassage]:
        """Return at most `limit` passages without a vector of the space.

        Args:
            space: Whose vectors count.
            after: Passages have greater ids; they come in the order of these. 0 begins.
            limit: At least 1.
        """

    @abstractmethod
    async def put_vectors(self, space: VectorSpace, vectors: Mapping[int, Vector]) -> None:
        """Keep vectors by the ids of their passages, all or none of them.

        Passages that are gone, and those that have a vector of the space already, are left alone.
        """

    @abstractmethod
    async def forget_other_vectors(self, space: VectorSpace) -> None:
        """Keep the vectors of one space only."""

    @abstractmethod
    async def optimize(self) -> None:
        """Make searches quick, after documents or vectors were put; may take minutes.

        Searches work without it, and go on meanwhile.
        """

    @abstractmethod
    async def find_by_words(
        self, query: str, *, limit: int, filter: Mapping[str, str]
    ) -> Sequence[Match]:
        """Find the passages that share the most telling words with a text, best first."""

    @abstractmethod
    async def find_by_vector(
        self, vector: Vector, space: VectorSpace, *, limit: int, filter: Mapping[str, str]
    ) -> Sequence[Match]:
        """Find the passages whose vectors of the space are nearest, best first."""

    @abstractmethod
    async def get_passages(self, ids: Sequence[int]) -> Mapping[int, IndexedPassage]:
        """Return passages by their ids; those that are gone meanwhile are left out."""
