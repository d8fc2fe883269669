"""The store of handoffs: the agents that have taken over in a session.

A conversation manager asks a conversation store that is also one of these: once before a run of an
agent that may hand over, and once after a run that was handed over. Without it the engine remembers
this as long as its process lives.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from arc_core.interfaces.conversations.conversation_store import ConversationOwner

__all__ = ["HandoffStore"]


@runtime_checkable
class HandoffStore(Protocol):
    """Keeps the handoffs of each session, beside its messages."""

    @abstractmethod
    async def load_handoffs(
        self, session_id: str, *, owner: ConversationOwner
    ) -> Mapping[str, str]:
        """Return the agents that answer for others, by the names of the others.

        Empty for a session that is not there, or in which no agent has handed over.

        Raises:
            SessionOwnershipError: The session belongs to another owner; decided as in `load`.
        """
        ...

    @abstractmethod
    async def keep_handoffs(
        self, session_id: str, handoffs: Mapping[str, str], *, owner: ConversationOwner
    ) -> None:
        """Replace the handoffs of a session that is still the owner's.

        Nothing happens if the session is gone, or has become another user's.
        """
        ...
