"""Rules of every `OfferedToolsStore` that a conversation manager relies on."""

from abc import ABC, abstractmethod
from typing import Any

import pytest

from arc_core.interfaces.conversations.conversation_store import ConversationOwner
from arc_core.interfaces.conversations.offered_tools_store import OfferedToolsStore
from arc_core.testing.conformance.conversations.session_values import SessionValues
from arc_core.testing.conformance.conversations.turns import ANN, turn
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

__all__ = ["OfferedToolsStoreConformance"]


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


@pytest.mark.asyncio
class OfferedToolsStoreConformance(ABC):
    """Inherit from it, beside `ConversationStoreConformance`, and say how your store is made."""

    @abstractmethod
    def make_offered_tools_store(self) -> OfferedToolsStore:
        """A new store, not started, in which no session exists; a `ConversationStore` too."""

    async def test_it_is_an_offered_tools_store(self) -> None:
        """It has the methods that managers call."""
        _OfferedTools(self.make_offered_tools_store()).check_interface()

    async def test_no_session_has_offered_tools(self) -> None:
        """Nor has one in which none were kept."""
        await _OfferedTools(self.make_offered_tools_store()).check_nothing_is_invented()

    async def test_offered_tools_come_back(self) -> None:
        """Of their session and their agent alone, whatever is said after them."""
        store = self.make_offered_tools_store()
        tools, others = _OfferedTools(store), _OfferedTools(store, agent="sales")
        async with tools.with_sessions("s", "t") as started:
            await tools.keep("s", tools.first, ANN)
            for number in range(5):
                await started.append("s", turn(number), owner=ANN)
            found = [await tools.load("s", ANN), await tools.load("t", ANN)]
            of_another = await others.load("s", ANN)

        assert found == [tools.first, set()], "the tools have changed in the store"
        assert of_another == set(), "agents share their tools"

    async def test_the_last_offered_tools_count(self) -> None:
        """They replace those of the same agent, and no other's; none may be left."""
        store = self.make_offered_tools_store()
        tools, others = _OfferedTools(store), _OfferedTools(store, agent="sales")
        wanted = [tools.first, tools.later, set()]
        async with tools.with_sessions("s"):
            await others.keep("s", others.first, ANN)
            found = []
            for each in wanted:
                await tools.keep("s", each, ANN)
                found.append(await tools.load("s", ANN))
            of_another = await others.load("s", ANN)

        assert found == wanted, "earlier tools are left"
        assert of_another == others.first, "the tools of another agent were replaced"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_name_in_offered_tools_comes_back(self, text: str) -> None:
        """Agents, tools, sessions and users may be called anything."""
        tools = _OfferedTools(self.make_offered_tools_store(), agent=text)

        await tools.check_name(text, {text})

    async def test_messages_stay_beside_offered_tools(self) -> None:
        """As they were."""
        await _OfferedTools(self.make_offered_tools_store()).check_messages_stay()

    async def test_a_strangers_offered_tools_are_not_loaded(self) -> None:
        """Another user is refused, whether or not there are any."""
        await _OfferedTools(self.make_offered_tools_store()).check_strangers_load_nothing()

    async def test_tenants_have_offered_tools_of_their_own(self) -> None:
        """In sessions of one id."""
        await _OfferedTools(self.make_offered_tools_store()).check_tenants_are_apart()

    async def test_a_strangers_offered_tools_are_not_kept(self) -> None:
        """They come too late: the session is another user's now."""
        await _OfferedTools(self.make_offered_tools_store()).check_strangers_keep_nothing()

    async def test_offered_tools_of_no_session_are_not_kept(self) -> None:
        """It was deleted meanwhile; its name stays free."""
        await _OfferedTools(self.make_offered_tools_store()).check_no_session_keeps_nothing()

    async def test_offered_tools_go_with_their_session(self) -> None:
        """A new session of the name begins with none."""
        await _OfferedTools(self.make_offered_tools_store()).check_deletion()
