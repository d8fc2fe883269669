"""Keeps conversations in this process: the default; gone when the process ends.

Pick a database if conversations must outlive the process or be shared between processes.
"""

from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from heapq import nlargest
from itertools import chain, islice
from sys import getsizeof

from arc_core import (
    AmbiguousSessionError,
    AssistantMessage,
    Attachment,
    ConversationOwner,
    ConversationStore,
    ConversationSummary,
    HandoffStore,
    ListedSession,
    ListsSessions,
    Message,
    OfferedToolsStore,
    Recollection,
    SessionOwnershipError,
    SummaryStore,
    ToolResultMessage,
    UserMessage,
)
from arc_core.health_checks import check_conversation_store
from arc_core.interfaces.optional import Health
from arc_core.memory_size import memory_size
from arc_core.messages.attachments import attachments_in, replace_attachments
from arc_core.messages.sessions import first_turn, title_of

_MAX_BYTES = 256 * 1024 * 1024
_BYTES_OF_AN_OBJECT = 200

SessionKey = tuple[str | None, str]
"""A tenant and the id of one of its sessions."""


class InMemoryConversationStore(
    ConversationStore, SummaryStore, HandoffStore, OfferedToolsStore, ListsSessions
):
    """A bounded number of sessions, the least recently used out, each of bounded length.

    A session is kept in turns, a user message and what follows it, so that `load` touches the turns
    it returns and nothing else, and gives back the very objects that were appended, but for
    attachments: the bytes of equal ones are kept once for all sessions. What comes before a
    session's first user message is not kept, since no load may start with it.

    Args:
        max_sessions: Sessions kept.
        max_messages: Messages kept of a session; whole turns go, the oldest first, the last stays.
        max_bytes: Of all messages; sessions go, the least recently used first, and then turns of
            the one that is left.
    """

    def __init__(
        self, *, max_sessions: int = 10_000, max_messages: int = 1_000, max_bytes: int = _MAX_BYTES
    ) -> None:
        self._max_sessions, self._max_messages = max_sessions, max_messages
        self._max_bytes = max_bytes
        self._sessions: OrderedDict[SessionKey, _Session] = OrderedDict()
        self._held = _HeldMessages()
        self._appends = 0

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        """Return its owner, who wrote first; None if it does not exist or was pushed out."""
        return self._find_owner(session_id)

    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        """The last turns, oldest first, from a multiple of `step` on; a question begins each."""
        found = await self.recall(session_id, owner=owner, max_turns=max_turns, step=step)
        return found.messages

    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        """The summary with the last turns; an empty recollection of a session that is not there.

        Nothing is awaited, so no other task can write between checking the owner and reading.
        """
        session = self._find(session_id, owner)
        if session is None:
            return Recollection()
        self._sessions.move_to_end(_key(session_id, owner))
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
        """
        session, key = self._find(session_id, owner), _key(session_id, owner)
        if session is None:
            session = self._sessions[key] = _Session(owner, self._held)
        if run_id is None or session.takes_run(run_id, limit=self._max_messages):
            session.add(messages, limit=self._max_messages)
            self._appends += 1
            session.append_number, session.updated_at = self._appends, _now()
        self._sessions.move_to_end(key)
        self._make_room(session)

    async def keep_summary(
        self, session_id: str, summary: ConversationSummary, *, owner: ConversationOwner
    ) -> None:
        """Replace the summary of a session that is still the owner's, by one that tells more."""
        session = self._find_own(session_id, owner)
        if session is None or summary.turns > session.turns_ever:
            return
        if session.summary is None or session.summary.turns < summary.turns:
            session.summary = summary

    async def load_handoffs(
        self, session_id: str, *, owner: ConversationOwner
    ) -> Mapping[str, str]:
        """Return the agents that answer for others; empty for a session that does not exist."""
        session = self._find(session_id, owner)
        return {} if session is None else session.handoffs

    async def keep_handoffs(
        self, session_id: str, handoffs: Mapping[str, str], *, owner: ConversationOwner
    ) -> None:
        """Replace the handoffs of a session that is still the owner's."""
        session = self._find_own(session_id, owner)
        if session is not None:
            session.handoffs = dict(handoffs)

    async def load_offered_tools(
        self, session_id: str, agent: str, *, owner: ConversationOwner
    ) -> Collection[str]:
        """The tools that an agent was offered last; empty for a session that does not exist."""
        session = self._find(session_id, owner)
        return () if session is None else session.offered_tools.get(agent, ())

    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Collection[str], *, owner: ConversationOwner
    ) -> None:
        """Replace the tools of an agent in a session that is still the owner's."""
        session = self._find_own(session_id, owner)
        if session is not None:
            session.offered_tools[agent] = frozenset(tools)

    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Sequence[ListedSession]:
        """The sessions of one owner, the last appended to first."""
        own = [(name, each) for (_, name), each in self._sessions.items() if each.owner == owner]
        newest = nlargest(limit, own, key=lambda entry: entry[1].append_number)
        return [
            ListedSession(
                session_id=name,
                title=title_of(each.turns[0]) if each.turns else "",
                updated_at=each.updated_at,
            )
            for name, each in newest
        ]

    async def delete(self, session_id: str, *, owner: ConversationOwner | None = None) -> None:
        """Forget a session; nothing happens if there is none."""
        owner = self._find_owner(session_id) if owner is None else owner
        if owner is not None and self._find(session_id, owner) is not None:
            self._sessions.pop(_key(session_id, owner)).release()

    async def check_health(self) -> Health:
        """Keep a conversation for a moment."""
        return await check_conversation_store(self, name="memory")

    def _find(self, session_id: str, owner: ConversationOwner) -> "_Session | None":
        """The session of an id in the owner's tenant, if it is the owner's."""
        session = self._sessions.get(_key(session_id, owner))
        if session is not None and session.owner != owner:
            raise SessionOwnershipError(session_id=session_id)
        return session

    def _find_own(self, session_id: str, owner: ConversationOwner) -> "_Session | None":
        session = self._sessions.get(_key(session_id, owner))
        return session if session is not None and session.owner == owner else None

    def _find_owner(self, session_id: str) -> ConversationOwner | None:
        """The one owner of an id, in whichever tenant; every session is looked at."""
        found = [each.owner for (_, name), each in self._sessions.items() if name == session_id]
        if len(found) > 1:
            raise AmbiguousSessionError(session_id=session_id, owners=found)
        return found[0] if found else None

    def _make_room(self, newest: "_Session") -> None:
        while len(self._sessions) > 1 and (
            len(self._sessions) > self._max_sessions or self._held.total > self._max_bytes
        ):
            self._sessions.popitem(last=False)[1].release()
        while self._held.total > self._max_bytes and len(newest.turns) > 1:
            newest.drop_oldest_turn()


def _key(session_id: str, owner: ConversationOwner) -> SessionKey:
    return owner.tenant_id, session_id


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class _SharedBytes:
    data: bytes
    holders: int = 0


class _HeldMessages:
    """The messages of all sessions: equal attachments once, and how many bytes all take.

    Attributes:
        total: Bytes of all messages held, each distinct attachment counted once.
    """

    __slots__ = ("_shared", "total")

    def __init__(self) -> None:
        self._shared: dict[bytes, _SharedBytes] = {}
        self.total = 0

    def hold(self, message: Message) -> Message:
        """The message to keep: itself, unless equal bytes of an attachment are here already."""
        self.total += _text_bytes(message)
        were_shared = [self._share(each) is each.data for each in attachments_in(message)]
        if all(were_shared):
            return message
        return replace_attachments(
            message,
            lambda each: (
                each if each.data is None else replace(each, data=self._shared[each.data].data)
            ),
        )

    def release(self, message: Message) -> None:
        """Let go of a message that `hold` has returned."""
        self.total -= _text_bytes(message)
        for attachment in attachments_in(message):
            if attachment.data is None:
                continue
            shared = self._shared[attachment.data]
            shared.holders -= 1
            if not shared.holders:
                del self._shared[attachment.data]
                self.total -= getsizeof(shared.data)

    def _share(self, attachment: Attachment) -> bytes | None:
        """The bytes of an attachment that all of its equals have, with one holder more."""
        data = attachment.data
        if data is None:
            return None
        shared = self._shared.get(data)
        if shared is None:
            shared = self._shared[data] = _SharedBytes(data)
            self.total += getsizeof(data)
        shared.holders += 1
        return shared.data


def _text_bytes(message: Message) -> int:
    """About how many bytes a message takes in memory, without those of its attachments."""
    match message:
        case ToolResultMessage():
            parts: list[object] = [(each.call_id, each.name, each.text) for each in message.results]
        case AssistantMessage():
            parts = [message.text, message.vendor_content]
            parts += [(each.id, each.name, each.arguments) for each in message.tool_calls]
            parts += [(each.text, each.signature) for each in message.reasoning]
        case _:
            parts = [message.text]
    return _BYTES_OF_AN_OBJECT + memory_size(parts)


@dataclass(slots=True)
class _Session:
    owner: ConversationOwner
    held: _HeldMessages
    turns: deque[list[Message]] = field(default_factory=deque)
    length: int = 0
    turns_ever: int = 0
    summary: ConversationSummary | None = None
    runs: OrderedDict[str, None] = field(default_factory=OrderedDict)
    handoffs: Mapping[str, str] = field(default_factory=dict)
    offered_tools: dict[str, Collection[str]] = field(default_factory=dict)
    append_number: int = 0
    updated_at: datetime = field(default_factory=_now)

    def takes_run(self, run_id: str, *, limit: int) -> bool:
        """Return true if a run is new here."""
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
                self.turns[-1].append(self.held.hold(message))
                self.length += 1
        while self.length > limit and len(self.turns) > 1:
            self.drop_oldest_turn()

    def drop_oldest_turn(self) -> None:
        dropped = self.turns.popleft()
        self.length -= len(dropped)
        for message in dropped:
            self.held.release(message)

    def release(self) -> None:
        """Let go of all messages."""
        for message in chain.from_iterable(self.turns):
            self.held.release(message)

    def last(self, max_turns: int, step: int) -> tuple[Message, ...]:
        most = min(max_turns, len(self.turns))
        count = self.turns_ever - first_turn(self.turns_ever, max_turns=most, step=step)
        newest_first = list(islice(reversed(self.turns), count))
        return tuple(chain.from_iterable(reversed(newest_first)))
