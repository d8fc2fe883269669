"""The tool `current_time`: what the clock shows somewhere.

Cities after which a zone is named in the IANA database (Seoul, Tokyo, New York) are found by
themselves; `data/cities.txt` has others, and Korean names.
"""

from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from arc_core import tool

_CITIES = files("arc_plugins.tools.current_time") / "data/cities.txt"


def _check_known(place: str) -> str:
    """Refuse an unknown place while arguments are checked, so the model is told."""
    find_zone(place)
    return place


@tool(category="time", cacheable=False)
def current_time(place: Annotated[str, AfterValidator(_check_known)] = "UTC") -> str:
    """Tell the current local time and today's date in a city or time zone.

    Args:
        place: A city, such as Seoul or New York, or an IANA time zone, such as Asia/Seoul.
    """
    return clock_text(datetime.now(UTC).astimezone(find_zone(place)))


def clock_text(moment: datetime) -> str:
    """A moment in its own zone: `14:05:09 on Saturday, 2026-03-07 (Asia/Seoul, UTC+09:00)`."""
    offset = moment.strftime("%z")
    return f"{moment:%H:%M:%S on %A, %Y-%m-%d} ({moment.tzinfo}, UTC{offset[:3]}:{offset[3:5]})"


def find_zone(place: str) -> ZoneInfo:
    """The time zone of an IANA name or of a city, in English or Korean, whatever the case.

    Raises:
        PydanticCustomError: Nothing of that name is known; a `ValueError` that names near matches.
    """
    known = _list_places()
    if match := known.get(_key(place)):
        return ZoneInfo(match[1])
    near = [known[key][0] for key in get_close_matches(_key(place[:80]), known)]
    advice = "give a large city or an IANA time zone, such as Asia/Seoul"
    advice = f"did you mean {' or '.join(near)}?" if near else advice
    facts = {"place": repr(place[:80]), "advice": advice}
    raise PydanticCustomError("place", "unknown place {place}; {advice}", facts)


def listed_cities() -> dict[str, str]:
    """The zones of `data/cities.txt` by the names of their places."""
    lines = (line.split(": ") for line in _CITIES.read_text("utf-8").splitlines()[1:])
    return {name: zone for zone, names in lines for name in names.split(", ")}


@cache
def _list_places() -> dict[str, tuple[str, str]]:
    """Every name as it is written, with its zone, by its key; the surer names come last."""
    zones = sorted(available_timezones())
    by_last_part = {zone.rpartition("/")[2].replace("_", " "): zone for zone in zones}
    names = by_last_part | listed_cities() | {zone: zone for zone in zones}
    return {_key(name): (name, zone) for name, zone in names.items()}


def _key(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).casefold()
