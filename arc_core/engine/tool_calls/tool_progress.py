"""What a tool says of how far it is, on its way to who reads the events of the run."""

import asyncio
import math
from collections.abc import Callable

from arc_core.events import AgentEvent, ToolCallProgress
from arc_core.text.masking import mask_text

__all__ = ["ToolProgress"]

_MAX_CHARS = 500
_MASKED_AHEAD_CHARS = 1000


class ToolProgress:
    """Reports for one call, until that has ended.

    A reader who does not keep up misses reports, since a tool must not wait for one and run into
    its time-out. A copy, deep or pickled, is None: it may outlive the run.

    Args:
        offer: Tells the reader of the run; False if there is no room.
        call_id: The vendor's id of the call.
    """

    __slots__ = ("_call_id", "_has_ended", "_offer")

    def __init__(self, offer: Callable[[AgentEvent], bool], call_id: str) -> None:
        self._offer, self._call_id = offer, call_id
        self._has_ended = False

    async def __call__(self, message: str, fraction: float | None) -> None:
        """Hand over a report, if there is room for it; secrets are masked, and 500 characters kept.

        Raises:
            TypeError: The message is not a text, or the fraction not a number.
        """
        report = ToolCallProgress(self._call_id, _mask(message), _bound(fraction))
        if self._has_ended or self._offer(report):
            return
        await asyncio.sleep(0)  # a reader who waits for events gets a chance to take some
        if not self._has_ended:
            self._offer(report)

    def end(self) -> None:
        """Refuse what comes later: the call has its result."""
        self._has_ended = True

    def __reduce__(self) -> tuple[object, ...]:
        return type(None), ()


def _mask(message: object) -> str:
    if not isinstance(message, str):
        raise TypeError(f"progress() takes a text, not {type(message).__name__}")
    text = message[: _MAX_CHARS + _MASKED_AHEAD_CHARS].encode(errors="replace").decode()
    text = mask_text(text)
    return text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"


def _bound(fraction: object) -> float | None:
    if fraction is None:
        return None
    if isinstance(fraction, bool) or not isinstance(fraction, int | float):
        raise TypeError(f"fraction is a number from 0 to 1, not {type(fraction).__name__}")
    return None if math.isnan(fraction) else float(min(1, max(0, fraction)))
