"""Where conversations are kept.

A conversation manager asks it; the engine does not. Several runs, processes and machines may use
one session at once.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arc_core.messages import Message

__all__ = ["ConversationOwner", "ConversationStore"]


@dataclass(frozen=True, slots=True)
class ConversationOwner:
    """Whose a session is: the user who wrote first, within a tenant."""

    user_id: str
    tenant_id: str | None = None


@runtime_checkable
class ConversationStore(Protocol):
    """Keeps the messages of sessions, oldest first."""

    @abstractmethod
    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        """Who wrote first; None for a session that does not exist."""
        ...

    @abstractmethod
    async def load(self, session_id: str, *, max_turns: int) -> Sequence[Message]:
        """The last turns, oldest first; each starts with a user message."""
        ...

    @abstractmethod
    async def append(
        self, session_id: str, messages: Sequence[Message], *, owner: ConversationOwner
    ) -> None:
        """Add messages adjacent to each other, or none; the first append makes the owner.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        ...

    @abstractmethod
    async def delete(self, session_id: str) -> None:
        """Forget a session; nothing happens where there is none."""
        ...
