"""Keeps conversations in this process: the default; gone when the process ends.

Pick a database where conversations must outlive the process or be shared between processes.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from arc_core import (
    ConversationOwner,
    ConversationStore,
    Message,
    SessionOwnershipError,
    UserMessage,
)

__all__ = ["InMemoryConversationStore"]


class InMemoryConversationStore(ConversationStore):
    """A bounded number of sessions, the least recently used out, each of bounded length.

    A session is kept in turns, a user message and what follows it, so that `load` touches the turns
    it returns and nothing else, and gives back the very objects that were appended. What comes
    before a session's first user message is not kept, since no load may start with it.

    Args:
        max_sessions: Sessions kept.
        max_messages: Messages kept of a session; whole turns go, the oldest first, the last stays.
    """

    def __init__(self, *, max_sessions: int = 10_000, max_messages: int = 1_000) -> None:
        self._max_sessions, self._max_messages = max_sessions, max_messages
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        """Who wrote first; None for a session that does not exist or was pushed out."""
        session = self._sessions.get(session_id)
        return None if session is None else session.owner

    async def load(self, session_id: str, *, max_turns: int) -> Sequence[Message]:
        """The last turns, oldest first; each starts with a user message."""
        session = self._sessions.get(session_id)
        if session is None:
            return ()
        self._sessions.move_to_end(session_id)
        return session.last(max_turns)

    async def append(
        self, session_id: str, messages: Sequence[Message], *, owner: ConversationOwner
    ) -> None:
        """Add messages adjacent to each other; nothing can come between, since nothing is awaited.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        session = self._sessions.get(session_id)
        if session is None:
            session = self._sessions[session_id] = _Session(owner)
        elif session.owner != owner:
            raise SessionOwnershipError(session_id=session_id)
        session.add(messages, limit=self._max_messages)
        self._sessions.move_to_end(session_id)
        if len(self._sessions) > self._max_sessions:
            self._sessions.popitem(last=False)

    async def delete(self, session_id: str) -> None:
        """Forget a session; nothing happens where there is none."""
        self._sessions.pop(session_id, None)


@dataclass(slots=True)
class _Session:
    owner: ConversationOwner
    turns: deque[list[Message]] = field(default_factory=deque)
    length: int = 0

    def add(self, messages: Iterable[Message], *, limit: int) -> None:
        for message in messages:
            if isinstance(message, UserMessage):
                self.turns.append([])
            if self.turns:
                self.turns[-1].append(message)
                self.length += 1
        while self.length > limit and len(self.turns) > 1:
            self.length -= len(self.turns.popleft())

    def last(self, max_turns: int) -> tuple[Message, ...]:
        newest_first = list(islice(reversed(self.turns), max(max_turns, 0)))
        return tuple(chain.from_iterable(reversed(newest_first)))
