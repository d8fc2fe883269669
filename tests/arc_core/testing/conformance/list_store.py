"""A conversation store as simple as can be, which keeps its contract."""

from collections import defaultdict
from collections.abc import Sequence

from arc_core import (
    ConversationOwner,
    ConversationStore,
    Message,
    SessionOwnershipError,
    UserMessage,
)
from arc_core.turn_steps import first_turn

__all__ = ["ListStore"]


class ListStore(ConversationStore):
    """A good store, as simple as can be."""

    def __init__(self) -> None:
        self.owners: dict[str, ConversationOwner] = {}
        self.messages: dict[str, list[Message]] = {}
        self.runs: dict[str, set[str | None]] = defaultdict(set)

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        return self.owners.get(session_id)

    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        if self.owners.get(session_id, owner) != owner:
            raise SessionOwnershipError(session_id=session_id)
        messages = self.messages.get(session_id, [])
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
        if self.owners.setdefault(session_id, owner) != owner:
            raise SessionOwnershipError(session_id=session_id)
        if run_id is None or run_id not in self.runs[session_id]:
            self.runs[session_id].add(run_id)
            self.messages.setdefault(session_id, []).extend(messages)

    async def delete(self, session_id: str) -> None:
        self.owners.pop(session_id, None)
        self.messages.pop(session_id, None)
        self.runs.pop(session_id, None)
