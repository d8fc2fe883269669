"""Where conversations are kept.

A conversation manager asks it; the engine does not. Several runs, processes and machines may use
one session at once, so whose a session is, is decided in the same step that reads or writes it:
what was looked up before may no longer hold.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arc_core.messages import Message
from arc_core.places import slot

__all__ = ["ConversationOwner", "ConversationStore"]


@dataclass(frozen=True, slots=True)
class ConversationOwner:
    """Whose a session is: the user who wrote first, within a tenant."""

    user_id: str
    tenant_id: str | None = None


@slot("conversation_store", group="arc.conversation_stores")
@runtime_checkable
class ConversationStore(Protocol):
    """Keeps the messages of sessions, oldest first."""

    @abstractmethod
    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        """Who wrote first; None for a session that does not exist.

        For people who look after a store. It may have changed by the time it is read, so `load` and
        `append` do not rely on it.
        """
        ...

    @abstractmethod
    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        """The last turns, oldest first; each starts with a user message.

        At most `max_turns`, beginning with a turn before which the session has had a multiple of
        `step` turns, so that a growing session is loaded from the same turn on for a while; with
        exactly `max_turns` if that leaves none. `arc_core.turn_steps.first_turn` works it out.
        Empty for a session that does not exist. The owner is compared as it is, character by
        character, with the one who wrote first, at the moment of reading.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        ...

    @abstractmethod
    async def append(
        self,
        session_id: str,
        messages: Sequence[Message],
        *,
        owner: ConversationOwner,
        run_id: str | None = None,
    ) -> None:
        """Add messages adjacent to each other, or none; the first append makes the owner.

        Of a run, the first append to a session counts: a later one, from any process, adds nothing,
        so that what was interrupted may be saved again. None is of no run.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        ...

    @abstractmethod
    async def delete(self, session_id: str) -> None:
        """Forget a session; nothing happens if there is none."""
        ...
