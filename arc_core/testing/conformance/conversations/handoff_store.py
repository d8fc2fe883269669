"""Rules of every `HandoffStore` that a conversation manager relies on."""

from abc import abstractmethod
from typing import Any

import pytest

from arc_core.interfaces.conversations.conversation_store import ConversationOwner, HandoffStore
from arc_core.testing.conformance.components import AsyncSuite
from arc_core.testing.conformance.conversations.session_values import (
    SESSION_VALUE_RULES,
    SessionValues,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS


class _Handoffs(SessionValues):
    interface, title = HandoffStore, "handoffs"
    first, later, empty = {"support": "billing", "sales": "billing"}, {"billing": "support"}, {}

    async def load(self, session_id: str, owner: ConversationOwner) -> Any:
        return dict(await self.store.load_handoffs(session_id, owner=owner))

    async def keep(self, session_id: str, value: Any, owner: ConversationOwner) -> None:
        await self.store.keep_handoffs(session_id, value, owner=owner)


class HandoffStoreConformance(AsyncSuite):
    """Inherit from it, beside `ConversationStoreConformance`, and say how your store is made."""

    @abstractmethod
    def make_handoff_store(self) -> HandoffStore:
        """A new store, not started, in which no session exists; a `ConversationStore` too."""

    @pytest.mark.parametrize("rule", SESSION_VALUE_RULES)
    async def test_handoffs_are_values_of_their_session(self, rule: str) -> None:
        """They come back to their owner, replace earlier ones, and go with the session."""
        await getattr(_Handoffs(self.make_handoff_store()), f"check_{rule}")()

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_name_in_handoffs_comes_back(self, text: str) -> None:
        """Agents, sessions and users may be called anything."""
        await _Handoffs(self.make_handoff_store()).bear_name(text, {text: text})
