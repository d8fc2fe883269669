"""The memory of sessions by which their requests begin alike.

Nothing that a run needs: what was forgotten costs a vendor's cache once.
"""

from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")


class SessionMemory(Generic[V]):
    """A value for each of the sessions that were used last.

    Args:
        max_sessions: The least recently used ones are forgotten.
    """

    __slots__ = ("_max_sessions", "_values")

    def __init__(self, *, max_sessions: int) -> None:
        self._max_sessions = max_sessions
        self._values: OrderedDict[str, V] = OrderedDict()

    def get(self, key: str) -> V | None:
        """Return the value put last for a session, if it is remembered."""
        return self._values.get(key)

    def put(self, key: str, value: V) -> None:
        """Remember a value of a session in place of the one before."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._max_sessions:
            self._values.popitem(last=False)
