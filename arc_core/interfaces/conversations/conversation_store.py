"""The store of conversations, and what it may keep beside their messages.

A conversation manager asks it; the engine does not. A session is found by its tenant and its id
together: each tenant has a space of ids of its own, and so have those who have no tenant. Several
runs, processes and machines may use one session at once, so whose a session is, is decided in the
same step that reads or writes it: what was looked up before may no longer hold.

A store that was written when ids alone were the key goes on working: the second tenant that uses an
id is refused with `SessionOwnershipError`, which the log and `AgentResult.history_available` tell.
Its `delete` is called without `owner`, if it does not take it.
"""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import keywords_added, slot
from arc_core.messages import Message


@dataclass(frozen=True, slots=True)
class ConversationOwner:
    """The owner of a session: the user who wrote first, within a tenant.

    Attributes:
        user_id: The user.
        tenant_id: The tenant, whose ids are its own; None is the space of those without a tenant.
    """

    user_id: str
    tenant_id: str | None = None


@slot("conversation_store", group="arc.conversation_stores")
@runtime_checkable
class ConversationStore(Protocol):
    """Keeps the messages of sessions, oldest first."""

    @abstractmethod
    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        """Return the user who wrote first; None for a session that does not exist.

        For people who look after a store. It may have changed by the time it is read, so `load` and
        `append` do not rely on it.

        Raises:
            AmbiguousSessionError: Several tenants have a session of this id.
        """

    @abstractmethod
    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        """The last turns, oldest first; each starts with a user message.

        At most `max_turns`, beginning with a turn before which the session has had a multiple of
        `step` turns, so that a growing session is loaded from the same turn on for a while; with
        exactly `max_turns` if that leaves none, as `arc_core.messages.sessions.first_turn` does.
        Empty for a session that does not exist in the owner's tenant. Tenants and users are
        compared as they are, character by character, the user with the one who wrote first, at the
        moment of reading.

        Raises:
            SessionOwnershipError: The session belongs to another user of the tenant.
        """

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
            SessionOwnershipError: The session belongs to another user of the tenant.
        """

    @abstractmethod
    @keywords_added("owner")
    async def delete(self, session_id: str, *, owner: ConversationOwner | None = None) -> None:
        """Forget a session; nothing happens if there is none.

        Args:
            session_id: Its id.
            owner: Whose it is, within whose tenant it is looked for; None is any owner, for people
                who look after a store.

        Raises:
            SessionOwnershipError: It belongs to another user of the owner's tenant.
            AmbiguousSessionError: No owner is given, and several tenants have a session of this id.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSession:
    """A session among those of its owner.

    Attributes:
        session_id: Its id.
        title: The beginning of the oldest user message that is kept, on one line, as
            `arc_core.messages.sessions.title_of` makes it; empty if there is none.
        updated_at: When it was last appended to, in UTC.
    """

    session_id: str
    title: str
    updated_at: datetime


@runtime_checkable
class ListsSessions(Protocol):
    """A conversation store that knows the sessions of a user.

    Servers ask it when a person looks for an earlier conversation: once per look. No run asks it.
    """

    @abstractmethod
    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Sequence[ListedSession]:
        """The sessions of one owner, the last appended to first.

        The owner is compared as it is, character by character, as in `load`.

        Args:
            owner: Whose they are.
            limit: How many there are at most, at least 1.
        """


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A summary of the first turns of a session.

    Attributes:
        text: For a chat model to read.
        turns: How many turns it tells, counted from the session's first.
    """

    text: str
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """A session at one moment.

    Attributes:
        turns: How many turns the session has had.
        messages: Those of its last turns, oldest first; each turn starts with a user message.
        summary: None if none has been kept.
    """

    turns: int = 0
    messages: Sequence[Message] = ()
    summary: ConversationSummary | None = None


@runtime_checkable
class SummaryStore(Protocol):
    """A conversation store that keeps one summary of each session.

    A conversation manager asks it once before a run and once after it. A summary tells the first
    turns of a session; the later ones are read word for word.
    """

    @abstractmethod
    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        """The summary with the last turns; an empty recollection of a session that is not there.

        The turns are those that `ConversationStore.load` gives.

        Raises:
            SessionOwnershipError: The session belongs to another owner; decided as in `load`.
        """

    @abstractmethod
    async def keep_summary(
        self, session_id: str, summary: ConversationSummary, *, owner: ConversationOwner
    ) -> None:
        """Replace the summary of a session that is still the owner's.

        Nothing happens if the kept summary tells as many turns or more, if the session has
        fewer turns, is gone, or has become another user's.
        """


@runtime_checkable
class HandoffStore(Protocol):
    """A conversation store that keeps which agents have taken over in a session.

    A conversation manager asks it once before a run of an agent that may hand over, and once after
    a run that was handed over. Without it the engine remembers this as long as its process lives.
    """

    @abstractmethod
    async def load_handoffs(
        self, session_id: str, *, owner: ConversationOwner
    ) -> Mapping[str, str]:
        """Return the agents that answer for others, by the names of the others.

        Empty for a session that is not there, or in which no agent has handed over.

        Raises:
            SessionOwnershipError: The session belongs to another owner; decided as in `load`.
        """

    @abstractmethod
    async def keep_handoffs(
        self, session_id: str, handoffs: Mapping[str, str], *, owner: ConversationOwner
    ) -> None:
        """Replace the handoffs of a session that is still the owner's.

        Nothing happens if the session is gone, or has become another user's.
        """


@runtime_checkable
class OfferedToolsStore(Protocol):
    """A conversation store that keeps the tools that each agent was offered in a session.

    The definitions of tools stand at the very beginning of a request, so what was offered once is
    offered again. A conversation manager asks once before a run whose tools were selected, and once
    after it if it has offered others. Without it the engine remembers them as long as its process
    lives, and a session that goes from process to process begins its requests anew.
    """

    @abstractmethod
    async def load_offered_tools(
        self, session_id: str, agent: str, *, owner: ConversationOwner
    ) -> Collection[str]:
        """The names that were kept last for an agent.

        Empty for a session that is not there, or in which none were kept for the agent.

        Raises:
            SessionOwnershipError: The session belongs to another owner; decided as in `load`.
        """

    @abstractmethod
    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Collection[str], *, owner: ConversationOwner
    ) -> None:
        """Replace the names of an agent in a session that is still the owner's.

        Nothing happens if the session is gone, or has become another user's.
        """
