"""Keeps conversations in this process: the default; gone when the process ends.

Pick a database if conversations must outlive the process or be shared between processes.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from heapq import nlargest
from itertools import chain, islice

from arc_core import (
    ConversationOwner,
    ConversationStore,
    ConversationSummary,
    HandoffStore,
    ListedSession,
    ListsSessions,
    Message,
    Recollection,
    SessionOwnershipError,
    SummaryStore,
    UserMessage,
)
from arc_core.health_checks import check_conversation_store
from arc_core.interfaces.optional import Health
from arc_core.session_titles import title_of
from arc_core.turn_steps import first_turn

__all__ = ["InMemoryConversationStore"]


class InMemoryConversationStore(ConversationStore, SummaryStore, HandoffStore, ListsSessions):
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
        self._appends = 0

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        """Who wrote first; None for a session that does not exist or was pushed out."""
        session = self._sessions.get(session_id)
        return None if session is None else session.owner

    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        """The last turns, oldest first, from a multiple of `step` on; each starts with a question.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        found = await self.recall(session_id, owner=owner, max_turns=max_turns, step=step)
        return found.messages

    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        """The summary with the last turns; an empty recollection of a session that is not there.

        Nothing is awaited, so no other task can write between checking the owner and reading.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        session = self._sessions.get(session_id)
        if session is None:
            return Recollection()
        if session.owner != owner:
            raise SessionOwnershipError(session_id=session_id)
        self._sessions.move_to_end(session_id)
        return Recollection(
            turns=session.turns_ever,
            messages=session.last(max_turns, step),
            summary=session.summary,
        )

    async def append(
        self,
        session_id: str,
        messages: Sequence[Message],
        *,
        owner: ConversationOwner,
        run_id: str | None = None,
    ) -> None:
        """Add messages adjacent to each other; nothing can come between, since nothing is awaited.

        Of a run, the first append counts; of a session so many runs are remembered as messages.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        session = self._sessions.get(session_id)
        if session is None:
            session = self._sessions[session_id] = _Session(owner)
        elif session.owner != owner:
            raise SessionOwnershipError(session_id=session_id)
        if run_id is None or session.takes_run(run_id, limit=self._max_messages):
            session.add(messages, limit=self._max_messages)
            self._appends += 1
            session.append_number, session.updated_at = self._appends, _now()
        self._sessions.move_to_end(session_id)
        if len(self._sessions) > self._max_sessions:
            self._sessions.popitem(last=False)

    async def keep_summary(
        self, session_id: str, summary: ConversationSummary, *, owner: ConversationOwner
    ) -> None:
        """Replace the summary of a session that is still the owner's, by one that tells more."""
        session = self._sessions.get(session_id)
        if session is not None and session.owner == owner and summary.turns <= session.turns_ever:
            session.replace_summary(summary)

    async def load_handoffs(
        self, session_id: str, *, owner: ConversationOwner
    ) -> Mapping[str, str]:
        """Which agent answers for another; empty for a session that does not exist.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        session = self._sessions.get(session_id)
        if session is None:
            return {}
        if session.owner != owner:
            raise SessionOwnershipError(session_id=session_id)
        return session.handoffs

    async def keep_handoffs(
        self, session_id: str, handoffs: Mapping[str, str], *, owner: ConversationOwner
    ) -> None:
        """Replace the handoffs of a session that is still the owner's."""
        session = self._sessions.get(session_id)
        if session is not None and session.owner == owner:
            session.handoffs = dict(handoffs)

    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Sequence[ListedSession]:
        """The sessions of one owner, the last appended to first."""
        own = [(name, each) for name, each in self._sessions.items() if each.owner == owner]
        newest = nlargest(limit, own, key=lambda entry: entry[1].append_number)
        return [each.entry(name) for name, each in newest]

    async def delete(self, session_id: str) -> None:
        """Forget a session; nothing happens if there is none."""
        self._sessions.pop(session_id, None)

    async def check_health(self) -> Health:
        """Keep a conversation for a moment."""
        return await check_conversation_store(self, name="memory")


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class _Session:
    owner: ConversationOwner
    turns: deque[list[Message]] = field(default_factory=deque)
    length: int = 0
    turns_ever: int = 0
    summary: ConversationSummary | None = None
    runs: OrderedDict[str, None] = field(default_factory=OrderedDict)
    handoffs: Mapping[str, str] = field(default_factory=dict)
    append_number: int = 0
    updated_at: datetime = field(default_factory=_now)

    def entry(self, session_id: str) -> ListedSession:
        title = title_of(self.turns[0]) if self.turns else ""
        return ListedSession(session_id=session_id, title=title, updated_at=self.updated_at)

    def takes_run(self, run_id: str, *, limit: int) -> bool:
        """Whether a run is new here."""
        if run_id in self.runs:
            return False
        self.runs[run_id] = None
        if len(self.runs) > limit:
            self.runs.popitem(last=False)
        return True

    def add(self, messages: Iterable[Message], *, limit: int) -> None:
        for message in messages:
            if isinstance(message, UserMessage):
                self.turns.append([])
                self.turns_ever += 1
            if self.turns:
                self.turns[-1].append(message)
                self.length += 1
        while self.length > limit and len(self.turns) > 1:
            self.length -= len(self.turns.popleft())

    def replace_summary(self, summary: ConversationSummary) -> None:
        if self.summary is None or self.summary.turns < summary.turns:
            self.summary = summary

    def last(self, max_turns: int, step: int) -> tuple[Message, ...]:
        most = min(max_turns, len(self.turns))
        count = self.turns_ever - first_turn(self.turns_ever, max_turns=most, step=step)
        newest_first = list(islice(reversed(self.turns), count))
        return tuple(chain.from_iterable(reversed(newest_first)))
