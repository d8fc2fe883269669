"""The store of summaries of conversations.

A conversation manager asks a conversation store that is also one of these, once before a run and
once after it. A summary tells the first turns of a session; the later ones are read word for word.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arc_core.interfaces.conversations.conversation_store import ConversationOwner
from arc_core.messages import Message

__all__ = ["ConversationSummary", "Recollection", "SummaryStore"]


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
    """Keeps one summary of each session, beside its messages."""

    @abstractmethod
    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        """The summary with the last turns; an empty recollection of a session that is not there.

        The turns are those that `ConversationStore.load` gives.

        Raises:
            SessionOwnershipError: The session belongs to another owner; decided as in `load`.
        """
        ...

    @abstractmethod
    async def keep_summary(
        self, session_id: str, summary: ConversationSummary, *, owner: ConversationOwner
    ) -> None:
        """Replace the summary of a session that is still the owner's.

        Nothing happens if the kept summary tells as many turns or more, if the session has
        fewer turns, is gone, or has become another user's.
        """
        ...
