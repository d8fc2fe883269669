"""Rules of every `HandoffStore` that a conversation manager relies on."""

from abc import ABC, abstractmethod

import pytest

from arc_core.errors import SessionOwnershipError
from arc_core.interfaces.conversations.conversation_store import (
    ConversationOwner,
    ConversationStore,
)
from arc_core.interfaces.conversations.handoff_store import HandoffStore
from arc_core.testing.conformance.components import check_names, running
from arc_core.testing.conformance.conversations.turns import ANN, ANN_OF_ACME, BOB, turn
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

__all__ = ["HandoffStoreConformance"]

_HANDOFFS = {"support": "billing", "sales": "billing"}
_LATER = {"billing": "support"}


class _Store(ConversationStore, HandoffStore):
    """Both interfaces in one component, as it is tested here."""


@pytest.mark.asyncio
class HandoffStoreConformance(ABC):
    """Inherit from it, beside `ConversationStoreConformance`, and say how your store is made."""

    @abstractmethod
    def make_handoff_store(self) -> HandoffStore:
        """A new store, not started, in which no session exists; a `ConversationStore` too."""

    async def test_it_is_a_handoff_store(self) -> None:
        """It has the methods that managers call."""
        store = self.make_handoff_store()

        check_names(store, HandoffStore)
        assert isinstance(store, HandoffStore), f"{type(store).__name__} lacks a method"
        assert isinstance(store, ConversationStore), "handoffs are kept beside their messages"

    async def test_no_session_has_handoffs(self) -> None:
        """Nor has one in which none were kept."""
        async with running(self._make_both()) as store:
            before = await store.load_handoffs("s", owner=ANN)
            owner = await store.owner_of("s")
            await store.append("s", turn(1), owner=ANN)
            after = await store.load_handoffs("s", owner=ANN)

        assert (dict(before), dict(after)) == ({}, {}), "there are handoffs that were never kept"
        assert owner is None, "reading has made a session"

    async def test_handoffs_come_back(self) -> None:
        """Of their session alone, whatever is said after them."""
        store = self._make_both()
        async with running(store):
            for name in ("s", "t"):
                await store.append(name, turn(1), owner=ANN)
            await store.keep_handoffs("s", _HANDOFFS, owner=ANN)
            for number in range(5):
                await store.append("s", turn(number), owner=ANN)
            found = [await store.load_handoffs(name, owner=ANN) for name in ("s", "t")]

        assert list(map(dict, found)) == [_HANDOFFS, {}], "handoffs have changed in the store"

    async def test_the_last_handoffs_count(self) -> None:
        """They replace all that were kept before; none may be left."""
        async with running(self._make_both()) as store:
            await store.append("s", turn(1), owner=ANN)
            found = []
            for handoffs in (_HANDOFFS, _LATER, {}):
                await store.keep_handoffs("s", handoffs, owner=ANN)
                found.append(dict(await store.load_handoffs("s", owner=ANN)))

        assert found == [_HANDOFFS, _LATER, {}], "earlier handoffs are left"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_name_comes_back(self, text: str) -> None:
        """Agents, sessions and users may be called anything."""
        owner = ConversationOwner(text, tenant_id=text)

        async with running(self._make_both()) as store:
            await store.append(text, turn(1), owner=owner)
            await store.keep_handoffs(text, {text: text}, owner=owner)
            found = await store.load_handoffs(text, owner=owner)

        assert dict(found) == {text: text}, "a name has changed in the store"

    async def test_messages_stay_as_they_are(self) -> None:
        """Handoffs are kept beside them."""
        async with running(self._make_both()) as store:
            await store.append("s", turn(1), owner=ANN)
            await store.keep_handoffs("s", _HANDOFFS, owner=ANN)
            loaded = await store.load("s", owner=ANN, max_turns=9)

        assert list(loaded) == turn(1), "handoffs have changed the messages"

    async def test_a_strangers_handoffs_are_not_loaded(self) -> None:
        """Another user is refused, whether or not there are any."""
        async with running(self._make_both()) as store:
            await store.append("s", turn(1), owner=ANN)
            with pytest.raises(SessionOwnershipError):
                await store.load_handoffs("s", owner=BOB)
            await store.keep_handoffs("s", _HANDOFFS, owner=ANN)
            with pytest.raises(SessionOwnershipError):
                await store.load_handoffs("s", owner=BOB)

    async def test_tenants_have_handoffs_of_their_own(self) -> None:
        """In sessions of one id."""
        async with running(self._make_both()) as store:
            for owner in (ANN, ANN_OF_ACME):
                await store.append("s", turn(1), owner=owner)
            await store.keep_handoffs("s", _HANDOFFS, owner=ANN)
            await store.keep_handoffs("s", _LATER, owner=ANN_OF_ACME)
            found = [
                dict(await store.load_handoffs("s", owner=each)) for each in (ANN, ANN_OF_ACME)
            ]

        assert found == [_HANDOFFS, _LATER], "tenants share the handoffs of a session"

    async def test_a_strangers_handoffs_are_not_kept(self) -> None:
        """They come too late: the session is another user's now."""
        async with running(self._make_both()) as store:
            await store.append("s", turn(1), owner=ANN)
            await store.keep_handoffs("s", _HANDOFFS, owner=BOB)
            found = await store.load_handoffs("s", owner=ANN)

        assert dict(found) == {}, "a stranger's handoffs were kept"

    async def test_handoffs_of_no_session_are_not_kept(self) -> None:
        """It was deleted meanwhile; its name stays free."""
        async with running(self._make_both()) as store:
            await store.keep_handoffs("s", _HANDOFFS, owner=ANN)
            await store.append("s", turn(1), owner=BOB)
            found = await store.load_handoffs("s", owner=BOB)

        assert dict(found) == {}, "handoffs were kept for a session that was not there"

    async def test_handoffs_go_with_their_session(self) -> None:
        """A new session of the name begins with none."""
        async with running(self._make_both()) as store:
            await store.append("s", turn(1), owner=ANN)
            await store.keep_handoffs("s", _HANDOFFS, owner=ANN)
            await store.delete("s")
            await store.append("s", turn(1), owner=ANN)
            found = await store.load_handoffs("s", owner=ANN)

        assert dict(found) == {}, "deleted handoffs have come back"

    def _make_both(self) -> _Store:
        store = self.make_handoff_store()
        assert isinstance(store, ConversationStore), "handoffs are kept beside their messages"
        return store  # type: ignore[return-value]
