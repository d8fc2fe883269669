"""The tool `current_time`: what the clock shows somewhere."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator

from arc_core import tool
from arc_plugins.tools.current_time.time_zones import zone_of

__all__ = ["clock_text", "current_time"]


def _check_known(place: str) -> str:
    """Refuse an unknown place while arguments are checked, so the model is told."""
    zone_of(place)
    return place


@tool(category="time", cacheable=False)
def current_time(place: Annotated[str, AfterValidator(_check_known)] = "UTC") -> str:
    """Tell the current local time and today's date in a city or time zone.

    Args:
        place: A city, such as Seoul or New York, or an IANA time zone, such as Asia/Seoul.

    Returns:
        Time, weekday, date, zone and offset.
    """
    return clock_text(datetime.now(UTC).astimezone(zone_of(place)))


def clock_text(moment: datetime) -> str:
    """A moment in its own zone: `14:05:09 on Saturday, 2026-03-07 (Asia/Seoul, UTC+09:00)`."""
    offset = moment.strftime("%z")
    return f"{moment:%H:%M:%S on %A, %Y-%m-%d} ({moment.tzinfo}, UTC{offset[:3]}:{offset[3:5]})"
