"""Documents by meaning, and by both, in an index that is filled as `arc docs` fills it."""

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from arc_core import (
    ConfigurationError,
    Embedder,
    IndexingProgress,
    InvalidResponseError,
    ModelUnavailableError,
)
from arc_core.interfaces.optional import HealthStatus
from arc_core.settings import RagMode
from arc_plugins.retrieval.sqlite import SqliteRagSettings
from arc_plugins.retrieval.sqlite.retriever import SqliteRetriever
from tests.arc_core.retrieval.embedders import BrokenEmbedder, ConceptEmbedder, FailingEmbedder

TEXTS = {
    "leave.md": "# Leave\n\nEverybody has 27 days a year.",
    "rain.md": "# Rain\n\nBring an umbrella.",
    "zx81.md": "# ZX81\n\nThe vacation planner of the office runs on it.",
}


def make_retriever(
    folder: Path, embedder: Embedder | None, mode: RagMode | None = None
) -> SqliteRetriever:
    """One with its index in this folder."""
    settings = SqliteRagSettings(path=folder / "index.db", mode=mode)
    return SqliteRetriever(settings=settings, embedder=embedder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three documents."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A folder with a thousand documents of one passage each."""
    (tmp_path / "docs").mkdir()
    for number in range(1000):
        (tmp_path / "docs" / f"{number}.txt").write_text(f"pay {number}", "utf-8")
    return tmp_path


async def find(retriever: SqliteRetriever, query: str) -> list[str]:
    """The sources of what is found."""
    return [each.source for each in await retriever.retrieve(query, limit=5)]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (RagMode.WORDS, ["zx81.md"]),
        (RagMode.MEANING, ["leave.md", "zx81.md", "rain.md"]),
        (None, ["zx81.md", "leave.md", "rain.md"]),
    ],
)
async def test_the_mode_says_by_what_documents_are_found(
    folder: Path, mode: RagMode | None, expected: Sequence[str]
) -> None:
    """With an embedder, by both if nothing else is said."""
    retriever = make_retriever(folder, ConceptEmbedder(), mode)
    await retriever.add_files([folder])

    assert await find(retriever, "vacation") == expected


async def test_documents_say_where_they_are_from(folder: Path) -> None:
    """Their source, title and place, and what they were added with."""
    retriever = make_retriever(folder, ConceptEmbedder())
    await retriever.add_files([folder / "rain.md"], metadata={"team": "north"})
    [document] = await retriever.retrieve("weather", limit=1)

    assert (document.source, document.text) == ("rain.md", "Rain\nBring an umbrella.")
    assert document.metadata == {"heading": "Rain", "title": "Rain", "number": 1, "team": "north"}


async def test_a_failing_embedder_leaves_documents_by_words(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """And a warning."""
    await make_retriever(folder, ConceptEmbedder()).add_files([folder])
    for mode in (RagMode.MEANING, RagMode.BOTH):
        caplog.clear()
        retriever = make_retriever(folder, FailingEmbedder(0), mode)

        assert await find(retriever, "vacation") == ["zx81.md"]
        assert [record.levelno for record in caplog.records] == [logging.WARNING]


async def test_only_what_is_new_is_embedded(folder: Path) -> None:
    """A file that has not changed costs nothing, nor does metadata; tokens are told."""
    embedder, told = ConceptEmbedder(), list[IndexingProgress]()
    retriever = make_retriever(folder, embedder)
    await retriever.add_files([folder])
    (folder / "rain.md").write_text(TEXTS["rain.md"] + "\n\n# Snow\n\nBring boots.", "utf-8")
    embedder.texts.clear()
    await retriever.add_files([folder], metadata={"team": "north"}, on_progress=told.append)

    assert embedder.texts == ["Snow\nBring boots."]
    assert [(each.stage, each.done, each.total) for each in told[-2:]] == [
        ("reading", 3, 3),
        ("embedding", 1, 1),
    ]
    assert told[-1].usage is not None
    assert told[-1].usage.tokens == 1


async def test_metadata_stays_when_a_file_is_added_again(folder: Path) -> None:
    """A tenant's document stays one when its tenant is not named again."""
    retriever = make_retriever(folder, None)
    await retriever.add_files([folder], metadata={"tenant": "acme"})
    (folder / "rain.md").write_text("Bring a boat. It rains.", "utf-8")
    await retriever.add_files([folder], metadata={"team": "north"})
    [document] = await retriever.retrieve("boat", limit=5)

    assert (document.metadata["tenant"], document.metadata["team"]) == ("acme", "north")
    assert list(await retriever.retrieve("boat", limit=5, filter={"tenant": ""})) == []


@pytest.mark.slow
@pytest.mark.parametrize("error", [None, ValueError("x"), KeyboardInterrupt()], ids=repr)
async def test_what_a_failure_breaks_off_goes_on(
    documents: Path, error: BaseException | None
) -> None:
    """Nothing is embedded twice, and nothing is left out."""
    first, second = FailingEmbedder(600, error), ConceptEmbedder()
    with pytest.raises(
        ModelUnavailableError
        if error is None or isinstance(error, ValueError)
        else KeyboardInterrupt
    ):
        await make_retriever(documents, first).add_files([documents / "docs"])
    retriever = make_retriever(documents, second)
    health = await retriever.check_health()
    await retriever.add_files([documents / "docs"])

    assert health.status is HealthStatus.WARNING
    assert health.summary.endswith(f"{1000 - len(first.texts)} of them without a vector")
    assert sorted(first.texts + second.texts) == sorted(f"pay {n}" for n in range(1000))
    assert (await retriever.check_health()).status is HealthStatus.OK


async def test_vectors_that_are_none_are_not_kept(folder: Path) -> None:
    """Documents are found by words all the same."""
    retriever = make_retriever(folder, BrokenEmbedder([[float("nan")] * 4] * 3))
    with pytest.raises(InvalidResponseError):
        await retriever.add_files([folder])

    assert await find(make_retriever(folder, None), "umbrella") == ["rain.md"]
    assert "3 of them without a vector" in (await retriever.check_health()).summary


class OtherEmbedder(ConceptEmbedder):
    """Of another name."""

    name = "other concepts"


class LongerEmbedder(ConceptEmbedder):
    """Of the same name, and another length."""

    dimensions = 5


@pytest.mark.parametrize("other", [OtherEmbedder, LongerEmbedder])
async def test_another_embedder_is_refused(folder: Path, other: type[ConceptEmbedder]) -> None:
    """At the start, and when files are added; nothing is embedded."""
    await make_retriever(folder, ConceptEmbedder()).add_files([folder])
    embedder = other()
    retriever = make_retriever(folder, embedder)

    for call in (retriever.start(), retriever.add_files([folder]), retriever.check_health()):
        with pytest.raises(ConfigurationError, match="vectors of another embedder") as caught:
            await call
        assert "arc docs embed" in caught.value.remedy
    assert embedder.texts == []


async def test_an_index_can_be_embedded_anew(folder: Path) -> None:
    """An application that still has the former embedder finds until that is done."""
    former, failing, embedder = ConceptEmbedder(), FailingEmbedder(2), OtherEmbedder()
    failing.name = embedder.name
    await make_retriever(folder, former).add_files([folder])
    retriever = make_retriever(folder, former, RagMode.MEANING)
    await retriever.start()
    # one batch: nothing of it is kept
    with pytest.raises(ModelUnavailableError):
        await make_retriever(folder, failing).embed_passages()
    before = await find(retriever, "vacation")
    count = await make_retriever(folder, embedder, RagMode.MEANING).embed_passages()
    after = await find(make_retriever(folder, embedder, RagMode.MEANING), "vacation")

    assert (count, before, after) == (3, after, ["leave.md", "zx81.md", "rain.md"])
    assert await find(retriever, "vacation") == []
    with pytest.raises(ConfigurationError):
        await make_retriever(folder, former).start()


async def test_a_mode_that_needs_an_embedder_says_so(folder: Path) -> None:
    """When it is made, and when an index is to be embedded."""
    with pytest.raises(ConfigurationError, match="there is no embedder") as caught:
        make_retriever(folder, None, RagMode.BOTH)
    with pytest.raises(ConfigurationError, match="by words alone"):
        await make_retriever(folder, ConceptEmbedder(), RagMode.WORDS).embed_passages()

    assert "embedder.provider" in caught.value.remedy


async def test_blank_metadata_is_refused(folder: Path) -> None:
    """It would hide documents from all tenants, or from none."""
    for metadata in ({"tenant": " "}, {"": "acme"}):
        with pytest.raises(ConfigurationError, match="the metadata"):
            await make_retriever(folder, None).add_files([folder], metadata=metadata)


async def test_an_index_without_vectors_is_read(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One that was made before there was an embedder; the start says what is missing."""
    await make_retriever(folder, None).add_files([folder])
    retriever = make_retriever(folder, ConceptEmbedder())
    await retriever.start()

    assert await find(retriever, "umbrella") == ["rain.md"]
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert await retriever.embed_passages() == 3
    assert "leave.md" in await find(retriever, "vacation")
