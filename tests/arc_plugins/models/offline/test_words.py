"""Words are compared without what says nothing."""

import pytest

from arc_plugins.models.offline.words import korean_nouns, stem_words, words_meant


@pytest.mark.parametrize("name", ["get_weather", "getWeather", "get-weathers", "Weather for the"])
def test_a_name_in_any_style_has_the_same_words(name: str) -> None:
    """Snake case, camel case, dashes and plurals are one; `get` says nothing."""
    assert stem_words(name) == {"weather"}


@pytest.mark.parametrize(
    ("word", "noun"),
    [
        ("서울은", "서울"),
        ("서울에서", "서울"),
        ("도쿄는", "도쿄"),
        ("도쿄와", "도쿄"),
        ("부산의", "부산"),
        ("런던으로", "런던"),
        ("타이베이", "타이베이"),
        ("하노이", "하노이"),
    ],
)
def test_korean_particles_are_taken_off(word: str, noun: str) -> None:
    """But for those that names often end with, so that these names stay whole."""
    assert korean_nouns(word) == [noun]


def test_korean_words_that_say_nothing_are_left_out() -> None:
    """What is left of a question is what it is about."""
    assert korean_nouns("서울과 도쿄는 지금 몇 시인지 알려줘") == ["서울", "도쿄"]


@pytest.mark.parametrize(
    ("question", "concept"),
    [
        ("서울은 몇 시야?", "time"),
        ("날씨 어때?", "weather"),
        ("What day is it today?", "date"),
        ("Is rain in the forecast?", "weather"),
    ],
)
def test_concepts_have_the_words_that_tools_use(question: str, concept: str) -> None:
    """Tools are described in English, questions are asked otherwise."""
    assert concept in words_meant("concepts", question)
