"""A conversation store as simple as can be, which keeps its contract."""

from collections import defaultdict
from collections.abc import Sequence

from arc_core import (
    AmbiguousSessionError,
    ConversationOwner,
    ConversationStore,
    Message,
    SessionOwnershipError,
    UserMessage,
)
from arc_core.messages.sessions import first_turn

__all__ = ["ListStore", "SessionKey"]


SessionKey = tuple[str | None, str]
"""A tenant and the id of one of its sessions."""


class ListStore(ConversationStore):
    """A good store, as simple as can be."""

    def __init__(self) -> None:
        self.owners: dict[SessionKey, ConversationOwner] = {}
        self.messages: dict[SessionKey, list[Message]] = {}
        self.runs: dict[SessionKey, set[str | None]] = defaultdict(set)

    def key(self, session_id: str, owner: ConversationOwner) -> SessionKey:
        return owner.tenant_id, session_id

    def check(self, session_id: str, owner: ConversationOwner) -> SessionKey:
        """The key of a session that is the owner's, or that does not exist."""
        key = self.key(session_id, owner)
        if self.owners.get(key, owner) != owner:
            raise SessionOwnershipError(session_id=session_id)
        return key

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        owners = [owner for (_, name), owner in self.owners.items() if name == session_id]
        if len(owners) > 1:
            raise AmbiguousSessionError(session_id=session_id, owners=owners)
        return owners[0] if owners else None

    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        messages = self.messages.get(self.check(session_id, owner), [])
        starts = [place for place, each in enumerate(messages) if isinstance(each, UserMessage)]
        first = first_turn(len(starts), max_turns=max_turns, step=step)
        return messages[starts[first] :] if first < len(starts) else []

    async def append(
        self,
        session_id: str,
        messages: Sequence[Message],
        *,
        owner: ConversationOwner,
        run_id: str | None = None,
    ) -> None:
        key = self.check(session_id, owner)
        self.owners[key] = owner
        if run_id is None or run_id not in self.runs[key]:
            self.runs[key].add(run_id)
            self.messages.setdefault(key, []).extend(messages)

    async def delete(self, session_id: str, *, owner: ConversationOwner | None = None) -> None:
        owner = await self.owner_of(session_id) if owner is None else owner
        if owner is not None:
            self.forget(self.check(session_id, owner))

    def forget(self, key: SessionKey) -> None:
        for kept in (self.owners, self.messages, self.runs):
            kept.pop(key, None)
