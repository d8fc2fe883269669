"""How far a stream has come."""

from enum import Enum, auto

__all__ = ["StreamState"]


class StreamState(Enum):
    """One of the three ends, or none yet; a stream that has one keeps it."""

    OPEN = auto()
    COMPLETED = auto()
    FAILED = auto()
    CANCELLED = auto()
