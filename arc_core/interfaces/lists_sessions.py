"""Which sessions a user has.

Servers ask a conversation store that is also one of these, when a person looks for an earlier
conversation: once per look. No run asks it.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from arc_core.interfaces.conversation_store import ConversationOwner

__all__ = ["ListedSession", "ListsSessions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSession:
    """A session among those of its owner.

    Attributes:
        session_id: Its id.
        title: The beginning of the oldest user message that is kept, on one line, as
            `arc_core.messages.session_titles.title_of` makes it; empty if there is none.
        updated_at: When it was last appended to, in UTC.
    """

    session_id: str
    title: str
    updated_at: datetime


@runtime_checkable
class ListsSessions(Protocol):
    """A conversation store that knows the sessions of a user."""

    @abstractmethod
    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Sequence[ListedSession]:
        """The sessions of one owner, the last appended to first.

        The owner is compared as it is, character by character, as in `load`.

        Args:
            owner: Whose they are.
            limit: How many there are at most, at least 1.
        """
        ...
