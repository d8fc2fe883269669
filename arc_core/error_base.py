"""The root of the error tree, and the errors below the values that other errors speak of."""

from collections.abc import Sequence
from enum import StrEnum


class AgentErrorCode(StrEnum):
    """Why a run failed, for programs; `ErrorMessageResolver` has the text for people."""

    RATE_LIMITED = "RATE_LIMITED"
    TIMEOUT = "TIMEOUT"
    CONTEXT_TOO_LONG = "CONTEXT_TOO_LONG"
    TOOL_ERROR = "TOOL_ERROR"
    GUARD_REJECTED = "GUARD_REJECTED"
    HOOK_REJECTED = "HOOK_REJECTED"
    INVALID_RESPONSE = "INVALID_RESPONSE"
    REFUSED = "REFUSED"
    AUTHENTICATION = "AUTHENTICATION"
    UNAVAILABLE = "UNAVAILABLE"
    OVERLOADED = "OVERLOADED"
    INVALID_INPUT = "INVALID_INPUT"
    LIMIT_REACHED = "LIMIT_REACHED"
    OUTPUT_REJECTED = "OUTPUT_REJECTED"
    CANCELLED = "CANCELLED"
    UNKNOWN = "UNKNOWN"


class ArcError(Exception):
    """Root of the tree; `except ArcError` catches whatever Arc raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        # Exception would call the constructor with `args`, which keyword-only ones do not take.
        return _restore, (type(self), self.args), vars(self)


def _restore(cls: type[ArcError], args: tuple[object, ...]) -> ArcError:
    return cls.__new__(cls, *args)


class SessionOwnershipError(ArcError):
    """A conversation was to be read or written by a user it does not belong to.

    Attributes:
        session_id: The conversation that was neither shown nor changed.
    """

    def __init__(self, *, session_id: str) -> None:
        super().__init__(session_id)
        self.session_id = session_id

    def __str__(self) -> str:
        return f"session {self.session_id!r} belongs to another user; use a session id of your own"


class AmbiguousSessionError(ArcError):
    """A conversation was named by its id alone, and several tenants have one of this id.

    Attributes:
        session_id: The id.
        owners: Whose they are, a `ConversationOwner` each.
    """

    def __init__(self, *, session_id: str, owners: Sequence[object]) -> None:
        super().__init__(session_id)
        self.session_id, self.owners = session_id, tuple(owners)

    def __str__(self) -> str:
        return f"{len(self.owners)} tenants have a session {self.session_id!r}; give its owner"
