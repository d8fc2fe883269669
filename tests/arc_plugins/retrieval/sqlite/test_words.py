"""Passages are found by their terms."""

import asyncio
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.retrieval.index import IndexedPassage, SourceDocument
from arc_core.retrieval.passages import Passage
from arc_core.testing.conformance.passage_index import find_by_words, read_passages
from arc_plugins.retrieval.sqlite import words
from arc_plugins.retrieval.sqlite.index import SqlitePassageIndex

CITIES = ["Busan", "Lisbon", "Oslo", "부산", "대구", "도쿄", "北京", "Nairobi"]
THINGS = ["budget plan", "weather archive", "train times", "회의 기록", "예산 보고서", "날씨 통계"]


async def put(index: SqlitePassageIndex, source: str, *texts: str, tenant: str = "") -> None:
    """Put a document into an index, with passages that have no heading."""
    await index.replace(
        SourceDocument(
            source=source,
            title="",
            passages=[Passage("", text) for text in texts],
            metadata={"tenant": tenant} if tenant else {},
        )
    )


async def best(index: SqlitePassageIndex, query: str, limit: int = 1) -> list[IndexedPassage]:
    """The best passages, of any document."""
    return await find_by_words(index, query, limit)


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> SqlitePassageIndex:
    """A thousand documents, two of which are about the weather in Seoul."""
    index = SqlitePassageIndex(tmp_path_factory.mktemp("index") / "i.db")
    with asyncio.Runner() as runner:
        runner.run(fill(index))
    return index


async def fill(index: SqlitePassageIndex) -> None:
    """Put a thousand passages into an index."""
    draw = random.Random(7)
    filler = [f"{draw.choice(CITIES)} {draw.choice(THINGS)} {n}" for n in range(20_000)]
    await put(index, "filler", *(". ".join(draw.sample(filler, 12)) for _ in range(998)))
    passage = Passage("Weather in Seoul", "It rains in July.")
    await index.replace(SourceDocument(source="english", title="", passages=[passage]))
    await put(index, "korean", "기후 서울의 날씨는 7월에 비가 온다.")


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("Seoul weather", "english"),
        ("서울 날씨", "korean"),
        ("What is the weather like in SEOUL?", "english"),
        ("서울은 날씨가 어때?", "korean"),
    ],
)
@pytest.mark.parametrize("ranked", [15_000, 20])
async def test_the_right_one_of_a_thousand_is_found(
    thousand: SqlitePassageIndex,
    monkeypatch: pytest.MonkeyPatch,
    query: str,
    source: str,
    ranked: int,
) -> None:
    """In English and in Korean, whatever is attached to the words, and if few may be ranked."""
    monkeypatch.setattr(words, "_RANKED_PASSAGES", ranked)

    assert [each.source for each in await best(thousand, query)] == [source]


async def test_the_best_has_the_highest_score(thousand: SqlitePassageIndex) -> None:
    """A heading counts for more than a text."""
    found = await thousand.find_by_words("rain and weather in Seoul", limit=2, filter={})
    first, _ = await read_passages(thousand, found)

    assert first.passage == Passage("Weather in Seoul", "It rains in July.")
    assert found[0].score > found[1].score > 0


async def test_common_words_do_not_keep_a_small_tenant_from_its_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left out of a question for being common is all that one of its documents has."""
    monkeypatch.setattr(words, "_RANKED_PASSAGES", 20)
    index = SqlitePassageIndex(tmp_path / "i.db")
    await put(index, "others", *("weather" for _ in range(50)), "zebra", tenant="others")
    await put(index, "acme", "the weather at Acme", tenant="acme")

    found = await find_by_words(index, "zebra weather", 5, tenant="acme")

    assert [each.source for each in found] == ["acme"]


@pytest.mark.parametrize(
    "query", ['"', "weather AND", "NEAR(weather", "text:weather", "w*", "^", "a OR NOT b", "'; --"]
)
async def test_what_people_type_is_not_a_query_language(
    thousand: SqlitePassageIndex, query: str
) -> None:
    """Operators of FTS5 are words like others."""
    assert len(await best(thousand, f"{query} Seoul")) == 1


@given(query=st.text())
async def test_every_text_can_be_asked(thousand: SqlitePassageIndex, query: str) -> None:
    """None raises, and none finds more than was asked for."""
    assert len(await best(thousand, query, 2)) <= 2


async def test_a_very_long_question_can_be_asked(thousand: SqlitePassageIndex) -> None:
    """Ten thousand different syllables come to an end."""
    query = "서울 날씨 " + "".join(chr(0xAC00 + n) for n in range(10_000))

    assert [each.source for each in await best(thousand, query)] == ["korean"]
