"""From the name of a place to its time zone."""

from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from arc_plugins.tools.current_time.cities import CITIES_BY_ZONE

__all__ = ["UnknownPlaceError", "zone_of"]

_SUGGESTIONS = 3


class UnknownPlaceError(ValueError):
    """A place is neither an IANA time zone nor a city that is known here; names near matches."""


def zone_of(place: str) -> ZoneInfo:
    """The time zone of an IANA name or of a city, in English or Korean, whatever the case.

    Raises:
        UnknownPlaceError: Nothing of that name is known.
    """
    zone = _zones().get(_key(place))
    if zone is None:
        raise UnknownPlaceError(f"unknown place {place[:80]!r}; {_advice(place)}")
    return ZoneInfo(zone)


def _key(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).casefold()


@cache
def _names() -> dict[str, str]:
    """Every name of a zone, as it is written, with its zone; the surer names come last."""
    zones = sorted(available_timezones())
    cities = {
        city.strip(): zone for zone, listed in CITIES_BY_ZONE.items() for city in listed.split(",")
    }
    by_last_part = {zone.rpartition("/")[2].replace("_", " "): zone for zone in zones}
    return by_last_part | cities | {zone: zone for zone in zones}


@cache
def _zones() -> dict[str, str]:
    return {_key(name): zone for name, zone in _names().items()}


def _advice(place: str) -> str:
    by_key = {_key(name): name for name in _names()}
    near = get_close_matches(_key(place[:80]), by_key, n=_SUGGESTIONS)
    if near:
        return f"did you mean {' or '.join(by_key[key] for key in near)}?"
    return "give a large city or an IANA time zone, such as Asia/Seoul"
