"""Errors of conversation stores: a session that is not the caller's, or not one session."""

from collections.abc import Sequence

from arc_core.error_root import ArcError

__all__ = ["AmbiguousSessionError", "SessionOwnershipError"]


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
