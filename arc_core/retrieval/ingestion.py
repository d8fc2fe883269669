"""Puts files into an index, and gives its passages their vectors.

Each step can be broken off at any place: a file is in the index whole or not at all, a batch of
vectors too, and the next call does what is left.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from arc_core.errors import ConfigurationError
from arc_core.interfaces.conversations.retriever import (
    IndexedFile,
    Indexing,
    IndexingProgress,
    IndexingStage,
    OnProgress,
)
from arc_core.interfaces.models.embedder import CountsEmbeddings, Embedder, EmbeddingUsage
from arc_core.retrieval.embedding import embed, get_space
from arc_core.retrieval.files import Found, UnreadableError, files_in, read_file
from arc_core.retrieval.index import IndexedSource, PassageIndex, SourceDocument, VectorSpace

_BATCH = 128
"""Passages that are embedded and kept at once: what a failure costs at most."""


class Ingestion:
    """Fills one index, which is open; without an embedder it is searched by words alone."""

    def __init__(
        self,
        index: PassageIndex,
        embedder: Embedder | None,
        *,
        folder: Path,
        on_progress: OnProgress | None = None,
    ) -> None:
        self._index, self._embedder, self._folder = index, embedder, folder.absolute()
        self._on_progress = on_progress
        self._usage_before = _get_usage(embedder)

    async def add_files(
        self, paths: Sequence[Path], *, metadata: Mapping[str, str] = {}
    ) -> Sequence[IndexedFile]:
        """Read files into the index, and embed all passages that have no vector."""
        _check_metadata(metadata)
        if self._embedder is not None:
            check_space(self._index, await self._index.get_spaces(), get_space(self._embedder))
        found = await asyncio.to_thread(self._find_files, paths)
        known = await self._index.get_sources()
        files = []
        for source, file in found:
            files.append(await self._add(source, file, known=known.get(source), metadata=metadata))
            self._report(IndexingStage.READING, len(files), len(found))
        await self.embed_passages()
        return files

    async def embed_passages(self) -> int:
        """Embed all passages that have no vector; return how many they were."""
        if self._embedder is None:
            return 0
        space, done, after = get_space(self._embedder), 0, 0
        total = await self._count_unembedded(space)
        while batch := await self._index.get_unembedded(space, after=after, limit=_BATCH):
            texts = [each.passage.with_heading for each in batch]
            vectors = await embed(self._embedder, texts, kind="document")
            ids = [each.id for each in batch]
            await self._index.put_vectors(space, dict(zip(ids, vectors, strict=True)))
            after, done = ids[-1], done + len(batch)
            self._report(IndexingStage.EMBEDDING, done, max(done, total))
        return done

    def _find_files(self, paths: Sequence[Path]) -> list[tuple[str, Found]]:
        found = {self._get_source(file.path): file for file in files_in(paths)}
        return sorted(found.items(), key=lambda each: each[0])

    def _get_source(self, file: Path) -> str:
        """Return a path as one sees it from the folder."""
        try:
            return Path(os.path.relpath(file.absolute(), self._folder)).as_posix()
        except ValueError:  # another drive of Windows has no way to it
            return file.absolute().as_posix()

    async def _add(
        self, source: str, file: Found, *, known: IndexedSource | None, metadata: Mapping[str, str]
    ) -> IndexedFile:
        try:
            _check_source(source)
            read = await asyncio.to_thread(read_file, file)
        except UnreadableError as error:
            return IndexedFile(source=source, outcome=Indexing.SKIPPED, note=str(error))
        merged = {**(known.metadata if known else {}), **metadata}
        document = SourceDocument(
            source=source, title=read.title, passages=read.passages, metadata=merged
        )
        if known is None or known.digest != document.digest or known.metadata != merged:
            await self._index.replace(document)
        return IndexedFile(
            source=source,
            outcome=Indexing.ADDED if known is None else Indexing.REPLACED,
            passages=len(read.passages),
            note=read.note,
        )

    async def _count_unembedded(self, space: VectorSpace) -> int:
        sources, spaces = await self._index.get_sources(), await self._index.get_spaces()
        return sum(each.passages for each in sources.values()) - spaces.get(space, 0)

    def _report(self, stage: IndexingStage, done: int, total: int) -> None:
        if self._on_progress is not None:
            usage = _subtract(_get_usage(self._embedder), self._usage_before)
            self._on_progress(IndexingProgress(stage=stage, done=done, total=total, usage=usage))


def check_space(index: PassageIndex, spaces: Mapping[VectorSpace, int], space: VectorSpace) -> None:
    """See that an index has vectors of an embedder, or none at all.

    Raises:
        ConfigurationError: It has those of another one.
    """
    if spaces and space not in spaces:
        raise ConfigurationError(
            f"the index of documents {index.place!r} has vectors of another embedder",
            evidence=[f"its vectors are those of {each}" for each in spaces]
            + [f"the embedder is {space}"],
            remedy="run `arc docs embed` to embed its passages anew, set the former embedder, or "
            "set rag.mode to 'words'",
        )


def _check_metadata(metadata: Mapping[str, object]) -> None:
    for key, value in metadata.items():
        if not (key.strip() and isinstance(value, str) and value.strip()):
            raise ConfigurationError(
                f"the metadata {key!r} of documents is {value!r}",
                remedy="give it a name and a value that are texts and not blank",
            )


def _check_source(source: str) -> None:
    try:
        source.encode()
    except UnicodeEncodeError as error:
        raise UnreadableError("its name is not UTF-8") from error


def _get_usage(embedder: object) -> EmbeddingUsage | None:
    return embedder.usage if isinstance(embedder, CountsEmbeddings) else None


def _subtract(usage: EmbeddingUsage | None, before: EmbeddingUsage | None) -> EmbeddingUsage | None:
    if usage is None or before is None:
        return None
    cost = None if usage.cost is None else usage.cost - (before.cost or Decimal())
    return EmbeddingUsage(tokens=usage.tokens - before.tokens, cost=cost)
