"""Places have time zones, whatever they are called."""

from zoneinfo import available_timezones

import pytest

from arc_plugins.tools.current_time.time_zones import listed_cities, zone_of


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ("Asia/Seoul", "Asia/Seoul"),
        ("asia/seoul", "Asia/Seoul"),
        ("Seoul", "Asia/Seoul"),
        (" seoul ", "Asia/Seoul"),
        ("서울", "Asia/Seoul"),
        ("Busan", "Asia/Seoul"),
        ("New York", "America/New_York"),
        ("new_york", "America/New_York"),
        ("뉴욕", "America/New_York"),
        ("São Paulo", "America/Sao_Paulo"),
        ("UTC", "UTC"),
    ],
)
def test_a_place_has_a_zone(place: str, zone: str) -> None:
    """IANA names and cities, in English and Korean, whatever the case."""
    assert zone_of(place).key == zone


@pytest.mark.parametrize(
    ("place", "advice"),
    [
        ("Seol", "did you mean Seoul"),
        ("Asia/Soeul", "did you mean Asia/Seoul"),
        ("Atlantys", "did you mean Atlanta"),
        ("Qqqq", "such as Asia/Seoul"),
        ("", "such as Asia/Seoul"),
        ("../../etc/passwd", "such as Asia/Seoul"),
    ],
)
def test_an_unknown_place_is_named_with_near_matches(place: str, advice: str) -> None:
    """The error says which place, and what could have been meant."""
    with pytest.raises(ValueError, match="unknown place") as error:
        zone_of(place)

    assert repr(place) in str(error.value)
    assert advice in str(error.value)


def test_every_listed_zone_exists() -> None:
    """The table of cities names no zone that the database lacks."""
    assert set(listed_cities().values()) <= available_timezones()


def test_every_listed_city_is_found() -> None:
    """Each name in the table leads to the zone it is listed under."""
    listed = listed_cities()

    assert {city: zone_of(city).key for city in listed} == listed
