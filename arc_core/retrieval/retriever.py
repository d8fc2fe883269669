"""A retriever over any index of passages: by words, by meaning, or by both."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from arc_core.errors import ConfigurationError
from arc_core.interfaces.conversations.retriever import (
    Document,
    EmbedsPassages,
    IndexedFile,
    IndexesFiles,
    OnProgress,
    Retriever,
)
from arc_core.interfaces.models.embedder import Embedder
from arc_core.interfaces.optional import ChecksHealth, Health, HealthStatus
from arc_core.log import get_logger
from arc_core.retrieval.embedding import QueryEmbedding, get_space, open_embedder
from arc_core.retrieval.index import Match, PassageIndex
from arc_core.retrieval.ingestion import Ingestion, check_space
from arc_core.settings import RagMode, RagSettings

logger = get_logger("retrieval")

_SHARE_OF_EMBEDDING = 0.6
"""Of the time that a retrieval may take: what is left has to suffice for the index."""

_FUSED_PASSAGES = 100
"""Of each list at least: what is far down in both still counts for more than one list alone."""

_K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""

_SAFE_PLACES = 5


def choose_mode(settings: RagSettings, embedder: Embedder | None) -> RagMode:
    """Return by what documents are found.

    Raises:
        ConfigurationError: `rag.mode` asks for an embedder, and there is none.
    """
    mode = settings.mode or (RagMode.WORDS if embedder is None else RagMode.BOTH)
    if mode is not RagMode.WORDS and embedder is None:
        raise ConfigurationError(
            f"rag.mode is {mode.value!r}, and there is no embedder",
            remedy="set embedder.provider, or set rag.mode to 'words'",
        )
    return mode


class IndexRetriever(Retriever, IndexesFiles, EmbedsPassages, ChecksHealth):
    """Asks and fills an index.

    Args:
        index: Not opened; the retriever opens and closes it.
        settings: How to search.
        embedder: The one that the application has, if any.
        folder: From which sources are seen: a program that adds a file from elsewhere replaces it
            all the same.

    Raises:
        ConfigurationError: `rag.mode` asks for an embedder, and there is none.
    """

    def __init__(
        self,
        index: PassageIndex,
        *,
        settings: RagSettings,
        embedder: Embedder | None = None,
        folder: Path,
    ) -> None:
        self._mode = choose_mode(settings, embedder)
        self._index, self._folder = index, folder
        self._embedder = None if self._mode is RagMode.WORDS else embedder
        self._queries: QueryEmbedding | None = None
        if self._embedder is not None:
            timeout_s = settings.retrieval_timeout_s * _SHARE_OF_EMBEDDING
            self._queries = QueryEmbedding(self._embedder, timeout_s=timeout_s)
        self._is_started = False

    async def start(self) -> None:
        """Open the index, and see that it fits this version of Arc and the embedder.

        Raises:
            ConfigurationError: It does not, or it is not there.
        """
        await self._index.start()
        try:
            without = await self._count_without_vectors()
            await self._warm_up()
        except BaseException:
            await self._index.aclose()
            raise
        self._is_started = True
        if without:
            logger.warning(
                "passages without vectors are found by words alone: run `arc docs embed`",
                index=self._index.place,
                passages=without,
            )

    async def aclose(self) -> None:
        """Close the index; the embedder is the application's."""
        self._is_started = False
        await self._index.aclose()

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        """Return at most `limit` passages, best first."""
        if limit < 1:
            return ()
        found: Sequence[Match] | None = None
        if self._mode is RagMode.BOTH:
            found = await self._find_by_both(query, limit, filter)
        elif self._mode is RagMode.MEANING:
            found = await self._find_by_meaning(query, limit, filter)
        if found is None:
            found = await self._index.find_by_words(query, limit=limit, filter=filter)
        return await self._read(found[:limit])

    async def _read(self, found: Sequence[Match]) -> Sequence[Document]:
        """Return the documents of matches, without those that were removed meanwhile."""
        if not found:
            return ()
        passages = await self._index.get_passages([each.id for each in found])
        return [passages[each.id].as_document(each.score) for each in found if each.id in passages]

    async def _find_by_both(
        self, query: str, limit: int, filter: Mapping[str, str]
    ) -> Sequence[Match]:
        most = max(limit, _FUSED_PASSAGES)
        try:
            async with asyncio.TaskGroup() as group:
                words = group.create_task(
                    self._index.find_by_words(query, limit=most, filter=filter)
                )
                meaning = group.create_task(self._find_by_meaning(query, most, filter))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        by_words, by_meaning = words.result(), meaning.result()
        return by_words if by_meaning is None else fuse(by_words, by_meaning)

    async def _find_by_meaning(
        self, query: str, limit: int, filter: Mapping[str, str]
    ) -> Sequence[Match] | None:
        """Return what is near in meaning; None if the embedder does not say where that is."""
        assert self._queries is not None
        vector = await self._queries.get_vector(query)
        if vector is None:
            return None
        space = self._queries.space
        return await self._index.find_by_vector(vector, space, limit=limit, filter=filter)

    async def check_health(self) -> Health:
        """Count what there is to find, and what is not found by meaning."""
        async with self._open():
            sources = await self._index.get_sources()
            without = await self._count_without_vectors()
        if not sources:
            summary, remedy = f"{self._index.place} is empty", "run `arc docs add PATH…`"
            return Health(status=HealthStatus.WARNING, summary=summary, remedy=remedy)
        count = sum(each.passages for each in sources.values())
        summary = f"{self._index.place} has {count} passages of {len(sources)} files"
        if not without:
            return Health(status=HealthStatus.OK, summary=summary)
        summary = f"{summary}, {without} of them without a vector"
        return Health(status=HealthStatus.WARNING, summary=summary, remedy="run `arc docs embed`")

    async def add_files(
        self,
        paths: Sequence[Path],
        *,
        metadata: Mapping[str, str] = {},
        on_progress: OnProgress | None = None,
    ) -> Sequence[IndexedFile]:
        """Read files and folders into the index, and embed what is new."""
        async with self._ingest(on_progress, create=True) as ingestion:
            return await ingestion.add_files(paths, metadata=metadata)

    async def embed_passages(self, *, on_progress: OnProgress | None = None) -> int:
        """Embed what has no vector, and forget the vectors of other embedders."""
        if self._embedder is None:
            raise ConfigurationError(
                "passages are not embedded, since documents are found by words alone",
                remedy="set embedder.provider, and leave rag.mode unset",
            )
        async with self._ingest(on_progress) as ingestion:
            done = await ingestion.embed_passages()
            await self._index.forget_other_vectors(get_space(self._embedder))
        return done

    async def indexed_files(self) -> Mapping[str, int]:
        """Return the number of passages by source."""
        async with self._open():
            sources = await self._index.get_sources()
        return {source: each.passages for source, each in sources.items()}

    async def remove_files(self, sources: Sequence[str]) -> Sequence[str]:
        """Forget files; return those of the sources that the index had."""
        async with self._open():
            return await self._index.remove(sources)

    async def _warm_up(self) -> None:
        """Have the index load its vectors, so that the first run need not wait for them."""
        if self._embedder is not None:
            space = get_space(self._embedder)
            vector = [1.0] + [0.0] * (space.dimensions - 1)
            await self._index.find_by_vector(vector, space, limit=1, filter={})

    async def _count_without_vectors(self) -> int:
        if self._embedder is None:
            return 0
        space, spaces = get_space(self._embedder), await self._index.get_spaces()
        check_space(self._index, spaces, space)
        sources = await self._index.get_sources()
        return sum(each.passages for each in sources.values()) - spaces.get(space, 0)

    @asynccontextmanager
    async def _open(self, *, create: bool = False) -> AsyncIterator[None]:
        """Have the index open, for a program that has not started the retriever, too."""
        if self._is_started:
            yield
            return
        await self._index.start(create=create)
        try:
            yield
        finally:
            await self._index.aclose()

    @asynccontextmanager
    async def _ingest(
        self, on_progress: OnProgress | None, *, create: bool = False
    ) -> AsyncIterator[Ingestion]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._open(create=create))
            if self._embedder is not None and not self._is_started:
                await stack.enter_async_context(open_embedder(self._embedder))
            yield Ingestion(
                self._index, self._embedder, folder=self._folder, on_progress=on_progress
            )
            await self._index.optimize()


def fuse(by_words: Sequence[Match], by_meaning: Sequence[Match]) -> list[Match]:
    """Return the passages of both lists by reciprocal rank fusion, best first.

    The first by words is among the first five, even if it is not among those by meaning: a rare
    name is often all that a question says.
    """
    scores = defaultdict[int, float](float)
    for found in (by_words, by_meaning):
        for rank, each in enumerate(found, 1):
            scores[each.id] += 1 / (_K + rank)
    ranked = sorted(scores, key=lambda id: -scores[id])
    if by_words and by_words[0].id not in {each.id for each in by_meaning}:
        _move_up(by_words[0].id, ranked, scores)
    return [Match(id, scores[id]) for id in ranked]


def _move_up(id: int, ranked: list[int], scores: dict[int, float]) -> None:
    """Give a passage the last of the safe places, with the score of the one that had it."""
    if id in ranked[:_SAFE_PLACES]:
        return
    scores[id] = scores[ranked[_SAFE_PLACES - 1]]
    ranked.remove(id)
    ranked.insert(_SAFE_PLACES - 1, id)
