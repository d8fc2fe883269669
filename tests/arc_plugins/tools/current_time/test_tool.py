"""`current_time`, as a model calls it."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest

from arc_core import ToolArgumentsError, ToolContext
from arc_plugins.tools.current_time.tool import clock_text, current_time, find_zone, listed_cities

CONTEXT = ToolContext(run_id="run", call_id="call", user_id="anonymous")


async def time_told(arguments: str) -> datetime:
    """What the tool says, read back."""
    text = await current_time.call(current_time.parse_arguments(arguments), CONTEXT)
    clock, offset = str(text).partition(" (")[0], str(text)[-7:-1]
    return datetime.strptime(f"{clock} {offset}", "%H:%M:%S on %A, %Y-%m-%d %z")


@pytest.mark.parametrize(
    ("arguments", "offset_h"), [('{"place": "Seoul"}', 9), ('{"place": "인천"}', 9), ("{}", 0)]
)
async def test_it_tells_the_time_of_a_place(arguments: str, offset_h: int) -> None:
    """The clock is that of the place, and UTC's without one."""
    before = datetime.now(UTC).replace(microsecond=0)

    told = await time_told(arguments)

    assert before <= told <= datetime.now(UTC)
    assert told.utcoffset() == timedelta(hours=offset_h)


def test_the_text_has_time_weekday_date_zone_and_offset() -> None:
    """Everything that may be asked of a clock stands in one line."""
    moment = datetime(2026, 3, 7, 14, 5, 9, tzinfo=ZoneInfo("Asia/Seoul"))

    assert clock_text(moment) == "14:05:09 on Saturday, 2026-03-07 (Asia/Seoul, UTC+09:00)"


def test_an_unknown_place_is_an_invalid_argument() -> None:
    """The model reads which place is unknown and what is near."""
    with pytest.raises(
        ToolArgumentsError, match="place: unknown place 'Sleoul'; did you mean Seou"
    ):
        current_time.parse_arguments('{"place": "Sleoul"}')


def test_answers_with_the_time_are_not_cached() -> None:
    """A clock's answer is wrong a second later."""
    assert not current_time.cacheable


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
    assert find_zone(place).key == zone


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
        find_zone(place)

    assert repr(place) in str(error.value)
    assert advice in str(error.value)


def test_every_listed_zone_exists() -> None:
    """The table of cities names no zone that the database lacks."""
    assert set(listed_cities().values()) <= available_timezones()


def test_every_listed_city_is_found() -> None:
    """Each name in the table leads to the zone it is listed under."""
    listed = listed_cities()

    assert {city: find_zone(city).key for city in listed} == listed
