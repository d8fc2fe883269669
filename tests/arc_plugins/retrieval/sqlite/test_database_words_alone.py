"""Indexes that Arc 0.1 made, by words alone, are read as they are and extended when written."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from arc_core.text.terms import split_terms
from arc_plugins.retrieval.sqlite import SqliteRagSettings
from arc_plugins.retrieval.sqlite.retriever import SqliteRetriever
from tests.arc_core.retrieval.embedders import ConceptEmbedder

SCHEMA = """
CREATE TABLE passages (
  id INTEGER PRIMARY KEY, source TEXT NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX passages_by_source ON passages (source);
CREATE VIRTUAL TABLE passage_terms USING fts5 (heading, text, tokenize = 'ascii');
PRAGMA application_id = 0x41726344;
PRAGMA user_version = 1;
"""
PASSAGES = [
    ("leave.md", "Leave", "Everybody has 27 days a year."),
    ("leave.md", "Leave", "Ask Kim."),
    ("rain.md", "Rain", "Bring an umbrella."),
]


def split(*texts: str) -> list[str]:
    """Texts as they stand in the table of terms."""
    return [" ".join(split_terms(text)) for text in texts]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An index of three passages."""
    path = tmp_path / "index.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
        for number, (source, heading, text) in enumerate(PASSAGES, 1):
            values = (number, source, heading, text)
            connection.execute("INSERT INTO passages VALUES (?, ?, ?, ?)", values)
            terms = (number, *split(heading, text))
            connection.execute(
                "INSERT INTO passage_terms (rowid, heading, text) VALUES (?, ?, ?)", terms
            )
        connection.commit()
    return path


def read(path: Path) -> bytes:
    """The bytes of a file."""
    return path.read_bytes()


def make_retriever(path: Path, *, embedder: ConceptEmbedder | None = None) -> SqliteRetriever:
    """One that asks the index."""
    return SqliteRetriever(settings=SqliteRagSettings(path=path), embedder=embedder)


async def find(retriever: SqliteRetriever, query: str, **filter: str) -> Sequence[tuple[str, int]]:
    """The sources of what is found, and the places in them."""
    found = await retriever.retrieve(query, limit=5, filter=filter)
    return [(each.source, each.metadata["number"]) for each in found]


async def test_it_is_read_and_left_as_it_is(path: Path) -> None:
    """Also with an embedder, whose vectors it lacks."""
    before = read(path)
    for embedder in (None, ConceptEmbedder()):
        retriever = make_retriever(path, embedder=embedder)
        await retriever.start()

        assert await find(retriever, "kim", tenant="acme") == [("leave.md", 2)]
        assert await find(retriever, "kim", team="north") == []
        assert await retriever.indexed_files() == {"leave.md": 2, "rain.md": 1}
    assert read(path) == before


async def test_it_is_extended_when_it_is_written(path: Path) -> None:
    """Nothing of it is lost, and all of it gets vectors."""
    retriever = make_retriever(path, embedder=ConceptEmbedder())
    (path.parent / "rain.md").write_text("# Rain\n\nBring an umbrella.", "utf-8")

    await retriever.add_files([path.parent / "rain.md"], metadata={"tenant": "acme"})

    assert await retriever.indexed_files() == {"leave.md": 2, "rain.md": 1}
    assert (await find(retriever, "holiday"))[0] == ("leave.md", 1)
    assert await find(retriever, "umbrella", tenant="globex") == [("leave.md", 1), ("leave.md", 2)]


async def test_it_is_extended_to_be_embedded(path: Path) -> None:
    """Without its files, which may be elsewhere by now."""
    retriever = make_retriever(path, embedder=ConceptEmbedder())

    assert await retriever.embed_passages() == 3
    assert (await find(retriever, "weather"))[0] == ("rain.md", 1)
