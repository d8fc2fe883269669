"""The days and months of UTC in which spending is counted."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum

__all__ = ["Window"]

_DECEMBER = 12


class Window(StrEnum):
    """How long a budget lasts before it begins anew."""

    DAY = "day"
    MONTH = "month"

    def key(self, moment: datetime) -> str:
        """Names the window in which a moment is: `2026-11-30`, `2026-11`."""
        text = moment.astimezone(UTC).date().isoformat()
        return text if self is Window.DAY else text.rpartition("-")[0]

    def end(self, moment: datetime) -> datetime:
        """When the window ends in which a moment is; in UTC."""
        begin = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        if self is Window.DAY:
            return begin + timedelta(days=1)
        if begin.month == _DECEMBER:
            return begin.replace(year=begin.year + 1, month=1, day=1)
        return begin.replace(month=begin.month + 1, day=1)
