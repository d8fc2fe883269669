"""The store of the tools that a session's requests have offered.

The definitions of tools stand at the very beginning of a request, so what was offered once is
offered again. A conversation manager asks a conversation store that is also one of these: once
before a run whose tools were selected, and once after it if it has offered others. Without it the
engine remembers them as long as its process lives, and a session that goes from process to process
begins its requests anew.
"""

from abc import abstractmethod
from collections.abc import Collection
from typing import Protocol, runtime_checkable

from arc_core.interfaces.conversations.conversation_store import ConversationOwner

__all__ = ["OfferedToolsStore"]


@runtime_checkable
class OfferedToolsStore(Protocol):
    """Keeps the tools that each agent was offered in a session, beside the session's messages."""

    @abstractmethod
    async def load_offered_tools(
        self, session_id: str, agent: str, *, owner: ConversationOwner
    ) -> Collection[str]:
        """The names that were kept last for an agent.

        Empty for a session that is not there, or in which none were kept for the agent.

        Raises:
            SessionOwnershipError: The session belongs to another owner; decided as in `load`.
        """
        ...

    @abstractmethod
    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Collection[str], *, owner: ConversationOwner
    ) -> None:
        """Replace the names of an agent in a session that is still the owner's.

        Nothing happens if the session is gone, or has become another user's.
        """
        ...
