"""Rules of every `HandoffStore` that a conversation manager relies on."""

from abc import ABC, abstractmethod
from typing import Any

import pytest

from arc_core.interfaces.conversations.conversation_store import ConversationOwner
from arc_core.interfaces.conversations.handoff_store import HandoffStore
from arc_core.testing.conformance.conversations.session_values import SessionValues
from arc_core.testing.conformance.conversations.turns import ANN, turn
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

__all__ = ["HandoffStoreConformance"]


class _Handoffs(SessionValues):
    interface, title = HandoffStore, "handoffs"
    first, later, empty = {"support": "billing", "sales": "billing"}, {"billing": "support"}, {}

    async def load(self, session_id: str, owner: ConversationOwner) -> Any:
        return dict(await self.store.load_handoffs(session_id, owner=owner))

    async def keep(self, session_id: str, value: Any, owner: ConversationOwner) -> None:
        await self.store.keep_handoffs(session_id, value, owner=owner)


@pytest.mark.asyncio
class HandoffStoreConformance(ABC):
    """Inherit from it, beside `ConversationStoreConformance`, and say how your store is made."""

    @abstractmethod
    def make_handoff_store(self) -> HandoffStore:
        """A new store, not started, in which no session exists; a `ConversationStore` too."""

    async def test_it_is_a_handoff_store(self) -> None:
        """It has the methods that managers call."""
        _Handoffs(self.make_handoff_store()).check_interface()

    async def test_no_session_has_handoffs(self) -> None:
        """Nor has one in which none were kept."""
        await _Handoffs(self.make_handoff_store()).check_nothing_is_invented()

    async def test_handoffs_come_back(self) -> None:
        """Of their session alone, whatever is said after them."""
        handoffs = _Handoffs(self.make_handoff_store())
        async with handoffs.with_sessions("s", "t") as store:
            await handoffs.keep("s", handoffs.first, ANN)
            for number in range(5):
                await store.append("s", turn(number), owner=ANN)
            found = [await handoffs.load(name, ANN) for name in ("s", "t")]

        assert found == [handoffs.first, {}], "handoffs have changed in the store"

    async def test_the_last_handoffs_count(self) -> None:
        """They replace all that were kept before; none may be left."""
        handoffs = _Handoffs(self.make_handoff_store())
        wanted = [handoffs.first, handoffs.later, {}]
        async with handoffs.with_sessions("s"):
            found = []
            for each in wanted:
                await handoffs.keep("s", each, ANN)
                found.append(await handoffs.load("s", ANN))

        assert found == wanted, "earlier handoffs are left"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_name_in_handoffs_comes_back(self, text: str) -> None:
        """Agents, sessions and users may be called anything."""
        await _Handoffs(self.make_handoff_store()).check_name(text, {text: text})

    async def test_messages_stay_beside_handoffs(self) -> None:
        """As they were."""
        await _Handoffs(self.make_handoff_store()).check_messages_stay()

    async def test_a_strangers_handoffs_are_not_loaded(self) -> None:
        """Another user is refused, whether or not there are any."""
        await _Handoffs(self.make_handoff_store()).check_strangers_load_nothing()

    async def test_tenants_have_handoffs_of_their_own(self) -> None:
        """In sessions of one id."""
        await _Handoffs(self.make_handoff_store()).check_tenants_are_apart()

    async def test_a_strangers_handoffs_are_not_kept(self) -> None:
        """They come too late: the session is another user's now."""
        await _Handoffs(self.make_handoff_store()).check_strangers_keep_nothing()

    async def test_handoffs_of_no_session_are_not_kept(self) -> None:
        """It was deleted meanwhile; its name stays free."""
        await _Handoffs(self.make_handoff_store()).check_no_session_keeps_nothing()

    async def test_handoffs_go_with_their_session(self) -> None:
        """A new session of the name begins with none."""
        await _Handoffs(self.make_handoff_store()).check_deletion()
