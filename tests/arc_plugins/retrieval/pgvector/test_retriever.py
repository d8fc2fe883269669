"""Documents in PostgreSQL, by words and by meaning."""

import asyncio
from pathlib import Path
from types import MappingProxyType

import pytest

from arc_core import ConfigurationError, Retriever
from arc_core.interfaces.optional import HealthStatus
from arc_core.testing.conformance.conversations.retriever import RetrieverConformance
from arc_plugins.retrieval.pgvector import PgvectorRagSettings
from arc_plugins.retrieval.pgvector.retriever import PgvectorRetriever
from tests.arc_core.retrieval.embedders import ConceptEmbedder

pytestmark = pytest.mark.slow


def make_retriever(url: str) -> PgvectorRetriever:
    """One that finds by both."""
    settings = PgvectorRagSettings.model_validate({"url": url})
    return PgvectorRetriever(settings=settings, embedder=ConceptEmbedder())


def write(folder: Path, **texts: str) -> list[Path]:
    """Write files, and return their paths."""
    paths = [folder / f"{name}.md" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, "utf-8")
    return paths


class TestPgvectorRetriever(RetrieverConformance):
    """What the engine relies on."""

    query = "How many days of leave?"
    filter = MappingProxyType({"team": "north"})
    tenants = ("acme", "globex")

    @pytest.fixture(autouse=True)
    def _documents(self, pgvector_database: str, tmp_path: Path) -> None:
        self._url = pgvector_database
        texts = ("all", "north", "acme", "globex")
        paths = write(tmp_path, **{name: f"# Leave\n\nDays of leave: {name}" for name in texts})
        metadata: tuple[dict[str, str], ...]
        metadata = ({}, {"team": "north"}, {"tenant": "acme"}, {"tenant": "globex"})
        with asyncio.Runner() as runner:
            for path, each in zip(paths, metadata, strict=True):
                runner.run(make_retriever(self._url).add_files([path], metadata=each))

    def make_retriever(self) -> Retriever:
        """One that has four documents."""
        return make_retriever(self._url)


async def test_documents_are_found_by_meaning(pgvector_database: str, tmp_path: Path) -> None:
    """By a word that is in none of them, with their source as seen from the current folder."""
    retriever = make_retriever(pgvector_database)
    paths = write(tmp_path, leave="# Leave\n\nEverybody has 27 days.", weather="Rain again.")
    files = await retriever.add_files(paths)
    again = await retriever.add_files(paths)
    await retriever.start()
    [found] = await retriever.retrieve("holidays", limit=1)
    await retriever.aclose()

    assert [file.outcome for file in files] == ["added", "added"]
    assert [file.outcome for file in again] == ["replaced", "replaced"]
    assert found.source.endswith("leave.md")
    assert found.text == "Leave\nEverybody has 27 days."


async def test_health_counts_what_is_there(pgvector_database: str, tmp_path: Path) -> None:
    """Without having been started, as a doctor asks."""
    retriever = make_retriever(pgvector_database)
    await retriever.add_files(write(tmp_path, leave="Leave", pay="Pay"))
    health = await retriever.check_health()

    assert health.status is HealthStatus.OK
    assert health.summary.endswith(" has 2 passages of 2 files")


def test_an_address_is_needed() -> None:
    """The setting that holds it is named."""
    with pytest.raises(ConfigurationError, match=r"rag\.url is not set"):
        PgvectorRetriever(settings=PgvectorRagSettings())


def test_only_postgresql_is_taken() -> None:
    """A file of SQLite's is named by rag.path."""
    with pytest.raises(ValueError, match="write it as postgresql://"):
        PgvectorRagSettings.model_validate({"url": "sqlite:///documents.db"})
