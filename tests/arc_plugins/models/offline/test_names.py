"""The names in a prompt."""

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_plugins.models.offline.names import located_in, names_in, quoted_in, zone_named

NEW_YORK = "America/New_York"


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ("Seoul", "Asia/Seoul"),
        ("new york", NEW_YORK),
        ("america/new_york", NEW_YORK),
        ("Busan", None),
        ("Europe/Atlantis", None),
    ],
)
def test_zone_named(place: str, zone: str | None) -> None:
    """A zone by its own name or by the city that the database names it after."""
    assert zone_named(place) == zone


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        (f"What time is it in '{NEW_YORK}'?", [NEW_YORK]),
        (f'What time is it in "{NEW_YORK}"?', [NEW_YORK]),
        (f"What time is it in {NEW_YORK}?", [NEW_YORK]),
        ("What time is it in america/new_york?", [NEW_YORK]),
        (f"{NEW_YORK} time please", [NEW_YORK]),
        ("What time is it in Asia/Seoul and Europe/Berlin?", ["Asia/Seoul", "Europe/Berlin"]),
        ("What time is it in America/Port-au-Prince?", ["America/Port-au-Prince"]),
        ("What time is it in Etc/GMT+5?", ["Etc/GMT+5"]),
        ("'Asia/Seoul'의 시간은?", ["Asia/Seoul"]),
        ("Asia/Seoul은 지금 몇 시야?", ["Asia/Seoul"]),
    ],
)
def test_time_zones_are_names(prompt: str, names: list[str]) -> None:
    """In quotation marks or without, in any case, and before Korean particles."""
    assert list(names_in(prompt)) == names


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("What time is it in 'Boston'?", ["Boston"]),
        ('What time is it in "new york"?', ["new york"]),
        ("What time is it in 'Atlantis'?", ["Atlantis"]),
        ("What time is it in San Francisco and 'Tokyo'?", ["San Francisco", "Tokyo"]),
        ('"뉴욕"은 지금 몇 시야?', ["뉴욕"]),
        ('Say "hello" to Bob', ["Say", "Bob"]),
        ("What is the meaning of 'a' and 'b'?", ["a", "b"]),
        ('What does "in" mean?', []),
    ],
)
def test_quoted_places_are_names(prompt: str, names: list[str]) -> None:
    """When the words around say that it is a place; any other quotation is not one."""
    assert list(names_in(prompt)) == names


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("what time is it in boston?", ["boston"]),
        ("what time is it in são paulo please", ["são paulo"]),
        ("what time is it in atlantis", ["atlantis"]),
        ("what time is it in boston and london?", ["boston", "london"]),
        ("what time is it in seoul, tokyo and atlantis?", ["seoul", "tokyo", "atlantis"]),
        ("what time is it in new york city right now", ["new york"]),
        ("what time is it for bob in london", ["london"]),
        ("what is the time in detail", []),
        ("what is the time in 10 minutes", []),
        ("what time is it in the morning and evening?", []),
        ("what time is it in boston and what is 2 + 2?", ["boston"]),
    ],
)
def test_places_without_capitals_are_names(prompt: str, names: list[str]) -> None:
    """Known or not: a place that is left out would be answered for another one."""
    assert list(names_in(prompt)) == names


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("What time is it in St. Petersburg?", ["St. Petersburg"]),
        ("How is the weather in Côte d'Ivoire?", ["Côte d'Ivoire"]),
    ],
)
def test_names_may_hold_short_words(prompt: str, names: list[str]) -> None:
    """A part of a name is another place."""
    assert list(names_in(prompt)) == names


def test_quotations_lose_their_marks() -> None:
    """Whichever marks they have."""
    assert quoted_in("Say 'a', \"b\" and «c»") == ("a", "b", "c")


def test_a_question_is_located() -> None:
    """By what follows in, at or near, quotation marks included."""
    assert located_in("How is Bob in 'Asia/Seoul' and Busan?") == "'Asia/Seoul' and Busan"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (f"What time is it in '{NEW_YORK}'?", f"({NEW_YORK}, UTC-0"),
        ('What time is it in "asia/tokyo"?', "(Asia/Tokyo, UTC+09:00)"),
        ("what time is it in boston", f"({NEW_YORK}, UTC-0"),
        ("What time is it in 'Europe/Atlantis'?", "unknown place 'Europe/Atlantis'"),
        ("what time is it in atlantis?", "unknown place 'atlantis'"),
    ],
)
async def test_a_clock_of_another_place_is_never_shown(question: str, said: str) -> None:
    """The answer is for the zone or city that was asked for, or says that it is unknown."""
    settings = ArcSettings(llm={"provider": "offline"}, tools={"builtin": ["current_time"]})

    async with Application(settings) as app:
        result = await app.execute(question)

    assert said in str(result.content)
    assert "UTC+00:00" not in str(result.content)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["in ", "in a, ", "A/", "a/", "in 'A', ", '"', "in A and ", "in A, ", "for a b "]
)
def test_hostile_prompts_give_few_names(part: str) -> None:
    """Whatever is repeated, reading ends with each name once."""
    assert len(names_in(part * 3000)) <= 1
