"""Whether a retriever keeps an index of its own that people fill with files.

`arc docs` asks a retriever that is also one of these. The retriever need not be started.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

__all__ = ["IndexedFile", "IndexesFiles", "Indexing"]


class Indexing(StrEnum):
    """What became of a file."""

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


@runtime_checkable
class IndexesFiles(Protocol):
    """A retriever whose documents come from files."""

    @abstractmethod
    async def add_files(self, paths: Sequence[Path]) -> Sequence[IndexedFile]:
        """Read files, and the files of folders, into the index; an earlier reading is replaced.

        Returns:
            What became of each file, in the order of their sources.

        Raises:
            ConfigurationError: The index cannot be opened or written.
        """
        ...

    @abstractmethod
    async def indexed_files(self) -> Mapping[str, int]:
        """The number of passages by source, in the order of the sources.

        Raises:
            ConfigurationError: The index cannot be opened.
        """
        ...

    @abstractmethod
    async def remove_files(self, sources: Sequence[str]) -> Sequence[str]:
        """Forget files; those of the sources that the index had.

        Raises:
            ConfigurationError: The index cannot be opened or written.
        """
        ...
