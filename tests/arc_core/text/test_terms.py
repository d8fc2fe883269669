"""Texts become terms that can be compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.text.terms import split_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getWeather_now", ["get", "weather", "now"]),
        ("Forecasts for CITIES, 2 days", ["forecast", "for", "citie", "2", "day"]),
        ("bus class is", ["bus", "class", "is"]),
        ("서울 날씨를", ["서울", "날씨", "씨를"]),
        ("날", ["날"]),
        ("天气预报", ["天气", "气预", "预报"]),
        ("東京のweather", ["東京", "京の", "weather"]),
        ("Größe ПОГОДА", ["grösse", "погода"]),
        ("ＡＢＣ １２", ["abc", "12"]),
        ("\u1109\u1165\u110b\u116e\u11af", ["서울"]),
        ("", []),
    ],
)
def test_texts_become_terms(text: str, terms: list[str]) -> None:
    """Words in lower case and singular, and pairs of characters where there are no spaces."""
    assert split_terms(text) == terms


@given(st.text(alphabet="abcs서울날씨天气の _-"))
def test_case_makes_no_difference(text: str) -> None:
    """Capital letters find the same tools."""
    assert split_terms(text.upper()) == split_terms(text)
