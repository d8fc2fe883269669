"""Finds passages of files by their words, in an index that is one file of SQLite's.

Pick it for up to some hundred thousand passages in any languages, Korean and English among them.
It needs no library, no server and no model; it knows words and no meanings. `arc docs add` fills
it. Costs a millisecond or two a run for a thousand passages, in a thread. Settings: `rag.path`.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from arc_core import TENANT_KEY, ConfigurationError, Document, Retriever
from arc_core.interfaces.optional import Health, HealthStatus, IndexedFile, Indexing
from arc_plugins.retrieval.sqlite import SqliteRagSettings
from arc_plugins.retrieval.sqlite.database import DocumentIndex, explain_failures
from arc_plugins.retrieval.sqlite.files import Found, UnreadableError, files_in, read_file


class SqliteRetriever(Retriever):
    """Asks and fills the index at `rag.path`.

    A source is the path of its file, seen from the folder of the index: a program that adds a
    file from elsewhere replaces it all the same.
    """

    def __init__(self, *, settings: SqliteRagSettings) -> None:
        if settings.path is None:
            raise ConfigurationError(
                "rag.path is not set", remedy="set it to a file, as in rag.path = 'documents.db'"
            )
        self._path = settings.path.expanduser()
        self._index = DocumentIndex(self._path)

    async def start(self) -> None:
        """See that the index is there and fits.

        Raises:
            ConfigurationError: It is missing, cannot be read, or is of another version.
        """
        await self.indexed_files()

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        """At most `limit` passages that share words with the query, best first.

        They have no metadata, and belong to all tenants.
        """
        if filter.keys() - {TENANT_KEY}:
            return ()
        return await asyncio.to_thread(self._index.best, query, limit)

    async def check_health(self) -> Health:
        """Count what there is to find."""
        files = await self.indexed_files()
        if files:
            summary = f"{self._path} has {sum(files.values())} passages of {len(files)} files"
            return Health(status=HealthStatus.OK, summary=summary)
        return Health(
            status=HealthStatus.WARNING,
            summary=f"{self._path} is empty",
            remedy="run `arc docs add PATH…`",
        )

    async def add_files(self, paths: Sequence[Path]) -> Sequence[IndexedFile]:
        """Read files and folders into the index; each file is there whole or not at all."""
        found = await asyncio.to_thread(self._files, paths)
        return [await asyncio.to_thread(self._add, *each) for each in found]

    async def indexed_files(self) -> Mapping[str, int]:
        """The number of passages by source."""
        return await asyncio.to_thread(self._sources)

    async def remove_files(self, sources: Sequence[str]) -> Sequence[str]:
        """Forget files; those of the sources that the index had."""
        return await asyncio.to_thread(self._remove, sources)

    def _files(self, paths: Sequence[Path]) -> list[tuple[str, Found]]:
        found = {self._get_source(file.path): file for file in files_in(paths)}
        return sorted(found.items(), key=lambda each: each[0])

    def _add(self, source: str, file: Found) -> IndexedFile:
        try:
            read = read_file(file)
        except UnreadableError as error:
            return IndexedFile(source=source, outcome=Indexing.SKIPPED, note=str(error))
        with explain_failures(self._path):
            was_there = self._index.replace(source, read.passages)
        return IndexedFile(
            source=source,
            outcome=Indexing.REPLACED if was_there else Indexing.ADDED,
            passages=len(read.passages),
            note=read.note,
        )

    def _sources(self) -> dict[str, int]:
        with explain_failures(self._path):
            return self._index.sources()

    def _remove(self, sources: Sequence[str]) -> list[str]:
        with explain_failures(self._path):
            return self._index.remove(sources)

    def _get_source(self, file: Path) -> str:
        """A path as one sees it from the folder of the index."""
        folder = self._path.absolute().parent
        try:
            return Path(os.path.relpath(file.absolute(), folder)).as_posix()
        except ValueError:  # another drive of Windows has no way to it
            return file.absolute().as_posix()
