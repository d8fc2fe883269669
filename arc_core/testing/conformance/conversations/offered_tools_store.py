"""Rules of every `OfferedToolsStore` that a conversation manager relies on."""

from abc import ABC, abstractmethod

import pytest

from arc_core.errors import SessionOwnershipError
from arc_core.interfaces.conversations.conversation_store import (
    ConversationOwner,
    ConversationStore,
)
from arc_core.interfaces.conversations.offered_tools_store import OfferedToolsStore
from arc_core.testing.conformance.components import check_names, running
from arc_core.testing.conformance.conversations.turns import ANN, ANN_OF_ACME, BOB, turn
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

__all__ = ["OfferedToolsStoreConformance"]

_TOOLS = {"find_order", "refund"}
_LATER = {"refund", "track"}


class _Store(ConversationStore, OfferedToolsStore):
    """Both interfaces in one component, as it is tested here."""


@pytest.mark.asyncio
class OfferedToolsStoreConformance(ABC):
    """Inherit from it, beside `ConversationStoreConformance`, and say how your store is made."""

    @abstractmethod
    def make_offered_tools_store(self) -> OfferedToolsStore:
        """A new store, not started, in which no session exists; a `ConversationStore` too."""

    async def test_it_is_an_offered_tools_store(self) -> None:
        """It has the methods that managers call."""
        store = self.make_offered_tools_store()

        check_names(store, OfferedToolsStore)
        assert isinstance(store, OfferedToolsStore), f"{type(store).__name__} lacks a method"
        assert isinstance(store, ConversationStore), "tools are kept beside their messages"

    async def test_no_session_has_offered_tools(self) -> None:
        """Nor has one in which none were kept."""
        async with running(self._make_store_that_offers()) as store:
            before = await store.load_offered_tools("s", "support", owner=ANN)
            owner = await store.owner_of("s")
            await store.append("s", turn(1), owner=ANN)
            after = await store.load_offered_tools("s", "support", owner=ANN)

        assert (set(before), set(after)) == (set(), set()), "there are tools that were never kept"
        assert owner is None, "reading has made a session"

    async def test_offered_tools_come_back(self) -> None:
        """Of their session and their agent alone, whatever is said after them."""
        async with running(self._make_store_that_offers()) as store:
            for name in ("s", "t"):
                await store.append(name, turn(1), owner=ANN)
            await store.keep_offered_tools("s", "support", _TOOLS, owner=ANN)
            for number in range(5):
                await store.append("s", turn(number), owner=ANN)
            found = [
                set(await store.load_offered_tools(name, agent, owner=ANN))
                for name, agent in (("s", "support"), ("s", "sales"), ("t", "support"))
            ]

        assert found == [_TOOLS, set(), set()], "the tools have changed in the store"

    async def test_the_last_offered_tools_count(self) -> None:
        """They replace those of the same agent, and no other's; none may be left."""
        async with running(self._make_store_that_offers()) as store:
            await store.append("s", turn(1), owner=ANN)
            await store.keep_offered_tools("s", "sales", _TOOLS, owner=ANN)
            found = []
            for tools in (_TOOLS, _LATER, ()):
                await store.keep_offered_tools("s", "support", tools, owner=ANN)
                found.append(set(await store.load_offered_tools("s", "support", owner=ANN)))
            others = await store.load_offered_tools("s", "sales", owner=ANN)

        assert found == [_TOOLS, _LATER, set()], "earlier tools are left"
        assert set(others) == _TOOLS, "the tools of another agent were replaced"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_name_comes_back(self, text: str) -> None:
        """Agents, tools, sessions and users may be called anything."""
        owner = ConversationOwner(text, tenant_id=text)

        async with running(self._make_store_that_offers()) as store:
            await store.append(text, turn(1), owner=owner)
            await store.keep_offered_tools(text, text, [text], owner=owner)
            found = await store.load_offered_tools(text, text, owner=owner)

        assert list(found) == [text], "a name has changed in the store"

    async def test_messages_stay_as_they_are(self) -> None:
        """The names are kept beside them."""
        async with running(self._make_store_that_offers()) as store:
            await store.append("s", turn(1), owner=ANN)
            await store.keep_offered_tools("s", "support", _TOOLS, owner=ANN)
            loaded = await store.load("s", owner=ANN, max_turns=9)

        assert list(loaded) == turn(1), "the tools have changed the messages"

    async def test_a_strangers_offered_tools_are_not_loaded(self) -> None:
        """Another user is refused, whether or not there are any."""
        async with running(self._make_store_that_offers()) as store:
            await store.append("s", turn(1), owner=ANN)
            with pytest.raises(SessionOwnershipError):
                await store.load_offered_tools("s", "support", owner=BOB)
            await store.keep_offered_tools("s", "support", _TOOLS, owner=ANN)
            with pytest.raises(SessionOwnershipError):
                await store.load_offered_tools("s", "support", owner=BOB)

    async def test_tenants_have_offered_tools_of_their_own(self) -> None:
        """In sessions of one id."""
        owners = (ANN, ANN_OF_ACME)
        async with running(self._make_store_that_offers()) as store:
            for owner, tools in zip(owners, (_TOOLS, _LATER), strict=True):
                await store.append("s", turn(1), owner=owner)
                await store.keep_offered_tools("s", "support", tools, owner=owner)
            found = [
                set(await store.load_offered_tools("s", "support", owner=each)) for each in owners
            ]

        assert found == [_TOOLS, _LATER], "tenants share the tools of a session"

    async def test_a_strangers_offered_tools_are_not_kept(self) -> None:
        """They come too late: the session is another user's now."""
        async with running(self._make_store_that_offers()) as store:
            await store.append("s", turn(1), owner=ANN)
            await store.keep_offered_tools("s", "support", _TOOLS, owner=BOB)
            found = await store.load_offered_tools("s", "support", owner=ANN)

        assert set(found) == set(), "a stranger's tools were kept"

    async def test_offered_tools_of_no_session_are_not_kept(self) -> None:
        """It was deleted meanwhile; its name stays free."""
        async with running(self._make_store_that_offers()) as store:
            await store.keep_offered_tools("s", "support", _TOOLS, owner=ANN)
            await store.append("s", turn(1), owner=BOB)
            found = await store.load_offered_tools("s", "support", owner=BOB)

        assert set(found) == set(), "tools were kept for a session that was not there"

    async def test_offered_tools_go_with_their_session(self) -> None:
        """A new session of the name begins with none."""
        async with running(self._make_store_that_offers()) as store:
            await store.append("s", turn(1), owner=ANN)
            await store.keep_offered_tools("s", "support", _TOOLS, owner=ANN)
            await store.delete("s")
            await store.append("s", turn(1), owner=ANN)
            found = await store.load_offered_tools("s", "support", owner=ANN)

        assert set(found) == set(), "deleted tools have come back"

    def _make_store_that_offers(self) -> _Store:
        store = self.make_offered_tools_store()
        assert isinstance(store, ConversationStore), "tools are kept beside their messages"
        return store  # type: ignore[return-value]
