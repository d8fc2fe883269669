"""Rules of every `OfferedToolsStore` that a conversation manager relies on."""

from abc import abstractmethod
from typing import Any

import pytest

from arc_core.interfaces.conversations.conversation_store import (
    ConversationOwner,
    OfferedToolsStore,
)
from arc_core.testing.conformance.components import AsyncSuite
from arc_core.testing.conformance.conversations.session_values import (
    ANN,
    SESSION_VALUE_RULES,
    SessionValues,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS


class _OfferedTools(SessionValues):
    interface, title = OfferedToolsStore, "tools"
    first, later, empty = {"find_order", "refund"}, {"refund", "track"}, set[str]()

    def __init__(self, store: object, agent: str = "support") -> None:
        super().__init__(store)
        self.agent = agent

    async def load(self, session_id: str, owner: ConversationOwner) -> Any:
        return set(await self.store.load_offered_tools(session_id, self.agent, owner=owner))

    async def keep(self, session_id: str, value: Any, owner: ConversationOwner) -> None:
        await self.store.keep_offered_tools(session_id, self.agent, value, owner=owner)


class OfferedToolsStoreConformance(AsyncSuite):
    """Inherit from it, beside `ConversationStoreConformance`, and say how your store is made."""

    @abstractmethod
    def make_offered_tools_store(self) -> OfferedToolsStore:
        """A new store, not started, in which no session exists; a `ConversationStore` too."""

    @pytest.mark.parametrize("rule", SESSION_VALUE_RULES)
    async def test_offered_tools_are_values_of_their_session(self, rule: str) -> None:
        """They come back to their owner, replace earlier ones, and go with the session."""
        await getattr(_OfferedTools(self.make_offered_tools_store()), f"check_{rule}")()

    async def test_agents_have_offered_tools_of_their_own(self) -> None:
        """Neither loaded nor replaced by another agent's."""
        store = self.make_offered_tools_store()
        tools, others = _OfferedTools(store), _OfferedTools(store, agent="sales")
        async with tools.with_sessions("s"):
            await tools.keep("s", tools.first, ANN)
            before = await others.load("s", ANN)
            await others.keep("s", others.first, ANN)
            await tools.keep("s", tools.later, ANN)
            after = await others.load("s", ANN)

        assert before == set(), "agents share their tools"
        assert after == others.first, "the tools of another agent were replaced"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_name_in_offered_tools_comes_back(self, text: str) -> None:
        """Agents, tools, sessions and users may be called anything."""
        await _OfferedTools(self.make_offered_tools_store(), agent=text).bear_name(text, {text})
