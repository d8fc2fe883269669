"""Passages are found by their terms."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_plugins.retrieval.sqlite.database import DocumentIndex
from arc_plugins.retrieval.sqlite.passages import Passage

CITIES = ["Busan", "Lisbon", "Oslo", "부산", "대구", "도쿄", "北京", "Nairobi"]
THINGS = ["budget plan", "weather archive", "train times", "회의 기록", "예산 보고서", "날씨 통계"]


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> DocumentIndex:
    """A thousand documents, two of which are about the weather in Seoul."""
    index = DocumentIndex(tmp_path_factory.mktemp("index") / "i.db")
    draw = random.Random(7)
    filler = [f"{draw.choice(CITIES)} {draw.choice(THINGS)} {n}" for n in range(20_000)]
    passages = [Passage("", ". ".join(draw.sample(filler, 12))) for _ in range(998)]
    index.replace("filler", passages)
    index.replace("english", [Passage("Weather in Seoul", "It rains in July.")])
    index.replace("korean", [Passage("기후", "서울의 날씨는 7월에 비가 온다.")])
    return index


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("Seoul weather", "english"),
        ("서울 날씨", "korean"),
        ("What is the weather like in SEOUL?", "english"),
        ("서울은 날씨가 어때?", "korean"),
    ],
)
def test_the_right_one_of_a_thousand_is_found(
    thousand: DocumentIndex, query: str, source: str
) -> None:
    """In English and in Korean, whatever is attached to the words."""
    assert thousand.best(query, 1)[0].source == source


def test_documents_come_with_source_score_and_heading(thousand: DocumentIndex) -> None:
    """The model reads the heading, too."""
    best, second = thousand.best("rain and weather in Seoul", 2)

    assert best.text == "Weather in Seoul\nIt rains in July."
    assert (best.source, best.metadata) == ("english", {"heading": "Weather in Seoul"})
    assert best.score > second.score > 0


@pytest.mark.parametrize(
    "query", ['"', "weather AND", "NEAR(weather", "text:weather", "w*", "^", "a OR NOT b", "'; --"]
)
def test_what_people_type_is_not_a_query_language(thousand: DocumentIndex, query: str) -> None:
    """Operators of FTS5 are words like others."""
    assert len(thousand.best(f"{query} Seoul", 1)) == 1


@given(st.text())
def test_every_text_can_be_asked(thousand: DocumentIndex, query: str) -> None:
    """None raises, and none finds more than was asked for."""
    assert len(thousand.best(query, 2)) <= 2


def test_a_very_long_question_can_be_asked(thousand: DocumentIndex) -> None:
    """Ten thousand different syllables come to an end."""
    query = "서울 날씨 " + "".join(chr(0xAC00 + n) for n in range(10_000))

    assert thousand.best(query, 1)[0].source == "korean"


def test_a_source_is_replaced_and_forgotten(tmp_path: Path) -> None:
    """Nothing of an earlier reading can be found any more."""
    index = DocumentIndex(tmp_path / "i.db")

    assert not index.replace("a", [Passage("", "old words")])
    assert index.replace("a", [Passage("", "new words")])
    assert [document.text for document in index.best("old new", 5)] == ["new words"]
    assert index.remove(["a", "b"]) == ["a"]
    assert (index.sources(), index.best("new", 5)) == ({}, [])
