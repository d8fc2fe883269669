"""Rules of every conversation store that is a `ListsSessions`, for servers."""

import asyncio
from abc import abstractmethod
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from arc_core.interfaces.conversations.conversation_store import (
    ConversationOwner,
    ConversationStore,
    ListsSessions,
)
from arc_core.messages import AssistantMessage, UserMessage
from arc_core.testing.conformance.components import AsyncSuite, check_interface, running
from arc_core.testing.conformance.conversations.session_values import ANN, ANN_OF_ACME, turn
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_STRANGERS = (
    ConversationOwner("bob"),
    ConversationOwner("ann", tenant_id="acme"),
    ConversationOwner("ann", tenant_id=""),
    ConversationOwner("Ann"),
    ConversationOwner("ann" * 100),
)
_LONG = ConversationOwner("long" * 1_000)
_LONGER = ConversationOwner("long" * 1_001)
_CLOCK_GOES_ON_S = 0.01
_CLOCKS_MAY_DIFFER = timedelta(minutes=10)


class ListsSessionsConformance(AsyncSuite):
    """Inherit from it, beside `ConversationStoreConformance`, and say how your store is made."""

    @abstractmethod
    def make_listing_store(self) -> ListsSessions:
        """A new store, not started, in which no session exists; a `ConversationStore` too."""

    async def test_it_lists_sessions(self) -> None:
        """It has the method that servers call."""
        self._make_store_that_lists()

    async def test_the_last_appended_to_comes_first(self) -> None:
        """Whichever was begun first, and whichever was read since."""
        async with running(self._make_store_that_lists()) as store:
            for name in ("a", "b", "c"):
                await store.append(name, turn(1), owner=ANN)
            await asyncio.sleep(_CLOCK_GOES_ON_S)
            await store.append("a", turn(2), owner=ANN)
            await store.load("b", owner=ANN, max_turns=9)
            found = await store.sessions_of(ANN, limit=9)

        assert [each.session_id for each in found] == ["a", "c", "b"], "the order is another one"

    async def test_there_are_so_many_at_most(self) -> None:
        """The newest ones."""
        async with running(self._make_store_that_lists()) as store:
            for number in range(5):
                await store.append(f"s{number}", turn(1), owner=ANN)
            found = await store.sessions_of(ANN, limit=2)

        assert [each.session_id for each in found] == ["s4", "s3"], "the limit does not hold"

    async def test_a_session_has_title_and_time(self) -> None:
        """The first question on one line, however long the conversation, and the last append."""
        async with running(self._make_store_that_lists()) as store:
            await store.append("s", [UserMessage("What\n is\t it?")], owner=ANN)
            await store.append("s", [AssistantMessage("It"), *turn(2)], owner=ANN)
            (found,) = await store.sessions_of(ANN, limit=9)

        age = datetime.now(UTC) - found.updated_at
        assert found.title == "What is it?", "the title is not the first question"
        assert abs(age) < _CLOCKS_MAY_DIFFER, "the time is not that of the last append, in UTC"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_name_is_listed(self, text: str) -> None:
        """Sessions and users may be called anything."""
        owner = ConversationOwner(text, tenant_id=text)

        async with running(self._make_store_that_lists()) as store:
            await store.append(text, [UserMessage(text)], owner=owner)
            found = await store.sessions_of(owner, limit=9)

        assert [each.session_id for each in found] == [text], "a name has changed in the store"

    async def test_sessions_of_strangers_are_not_listed(self) -> None:
        """Another user, the same name in another tenant, or one that begins alike."""
        async with running(self._make_store_that_lists()) as store:
            for number, owner in enumerate((ANN, _LONG, *_STRANGERS)):
                await store.append(f"s{number}", turn(1), owner=owner)
            found = [await store.sessions_of(each, limit=9) for each in (ANN, _LONG, _LONGER)]

        names = [[each.session_id for each in sessions] for sessions in found]
        assert names == [["s0"], ["s1"], []], "a stranger's session is listed"

    async def test_tenants_have_lists_of_their_own(self) -> None:
        """A session of one id is listed for each, with its own title."""
        async with running(self._make_store_that_lists()) as store:
            for number, owner in enumerate((ANN, ANN_OF_ACME)):
                await store.append("s", turn(number), owner=owner)
            found = [await store.sessions_of(each, limit=9) for each in (ANN, ANN_OF_ACME)]

        titles = [[each.title for each in sessions] for sessions in found]
        assert titles == [["question 0"], ["question 1"]], "a session of another tenant is listed"

    async def test_a_deleted_session_is_not_listed(self) -> None:
        """Nor is its title left to a new session of the name."""
        async with running(self._make_store_that_lists()) as store:
            await store.append("s", turn(1), owner=ANN)
            await store.delete("s")
            before = await store.sessions_of(ANN, limit=9)
            await store.append("s", turn(2), owner=ANN)
            after = await store.sessions_of(ANN, limit=9)

        assert list(before) == [], "a deleted session is listed"
        assert [each.title for each in after] == ["question 2"], "an old title has come back"

    def _make_store_that_lists(self) -> Any:
        store = self.make_listing_store()
        check_interface(store, ListsSessions)
        assert isinstance(store, ConversationStore), "sessions are listed by what keeps them"
        return store
