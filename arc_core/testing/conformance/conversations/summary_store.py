"""Rules of every `SummaryStore` that a summarizing conversation manager relies on."""

from abc import ABC, abstractmethod
from typing import Any

import pytest

from arc_core.interfaces.conversations.conversation_store import (
    ConversationOwner,
    ConversationStore,
)
from arc_core.interfaces.conversations.summary_store import (
    ConversationSummary,
    Recollection,
    SummaryStore,
)
from arc_core.testing.conformance.conversations.session_values import SessionValues
from arc_core.testing.conformance.conversations.turns import ANN, BOB, leaks, turn

__all__ = ["SummaryStoreConformance"]

_TOLD = ConversationSummary("They said hello. 안녕", turns=2)


class _Summaries(SessionValues):
    interface, title = SummaryStore, "summaries"
    first, later = ConversationSummary("They said hello. 안녕", 1), ConversationSummary("other", 1)
    empty = None

    async def load(self, session_id: str, owner: ConversationOwner) -> Any:
        found: Recollection = await self.store.recall(session_id, owner=owner, max_turns=0)
        return found.summary

    async def keep(self, session_id: str, value: Any, owner: ConversationOwner) -> None:
        await self.store.keep_summary(session_id, value, owner=owner)


@pytest.mark.asyncio
class SummaryStoreConformance(ABC):
    """Inherit from it, beside `ConversationStoreConformance`, and say how your store is made."""

    @abstractmethod
    def make_summary_store(self) -> SummaryStore:
        """A new store, not started, in which no session exists; a `ConversationStore` too."""

    async def test_it_is_a_summary_store(self) -> None:
        """It has the methods that managers call."""
        await _Summaries(self.make_summary_store()).check_interface()

    async def test_nothing_is_recalled_of_no_session(self) -> None:
        """No turns, no messages, no summary."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            found = await store.recall("s", owner=ANN, max_turns=9)

        assert found == Recollection(), "an unknown session is not empty"

    async def test_a_strangers_session_is_not_recalled(self) -> None:
        """Another user is refused, whether or not there is a summary."""
        await _Summaries(self.make_summary_store()).check_strangers_load_nothing()

    async def test_tenants_have_summaries_of_their_own(self) -> None:
        """In sessions of one id."""
        await _Summaries(self.make_summary_store()).check_tenants_are_apart()

    async def test_a_quick_stranger_recalls_nothing(self) -> None:
        """While the first append makes the owner, a recall of another user's is given nothing."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:

            async def gives_bob(name: str) -> bool:
                found: Recollection = await store.recall(name, owner=BOB, max_turns=9)
                return found != Recollection()

            leaked = await leaks(store, gives_bob)

        assert leaked == 0, "a recall that began before the first append was given its messages"

    async def test_turns_are_counted(self) -> None:
        """All there have ever been, whatever is asked for; messages are those of the last ones."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            await _fill(store, turns=3)
            found = await store.recall("s", owner=ANN, max_turns=1)

        assert found.turns == 3, "every turn counts"
        assert list(found.messages) == turn(2), "the last turn was wanted"
        assert found.summary is None, "there is a summary that was never kept"

    async def test_turns_are_recalled_in_steps(self) -> None:
        """As `load` gives them."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            for number in range(6):
                await store.append("s", turn(number), owner=ANN)
            found = await store.recall("s", owner=ANN, max_turns=5, step=3)

        assert list(found.messages) == [*turn(3), *turn(4), *turn(5)], "a multiple of 3 was wanted"
        assert found.turns == 6, "every turn counts"

    async def test_a_summary_comes_back(self) -> None:
        """With the messages, and unchanged by what is said after it."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            await _fill(store, turns=2)
            await store.keep_summary("s", _TOLD, owner=ANN)
            await _fill(store, turns=1)
            found = await store.recall("s", owner=ANN, max_turns=9)

        assert found.summary == _TOLD, "the summary has changed in the store"
        assert found.turns == 3, "a summary does not change the turns"

    async def test_a_summary_never_tells_less(self) -> None:
        """Of two that were written at once, the one that tells more stays."""
        more = ConversationSummary("more", turns=3)
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            await _fill(store, turns=3)
            await store.keep_summary("s", _TOLD, owner=ANN)
            await store.keep_summary("s", more, owner=ANN)
            await store.keep_summary("s", _TOLD, owner=ANN)
            found = await store.recall("s", owner=ANN, max_turns=0)

        assert found.summary == more, "a newer summary was replaced by an older one"

    async def test_a_summary_for_a_strangers_session_is_not_kept(self) -> None:
        """A summary that comes late does not get into a session that is another user's now."""
        await _Summaries(self.make_summary_store()).check_strangers_keep_nothing()

    async def test_a_summary_of_more_than_there_is_is_not_kept(self) -> None:
        """It belongs to a session that was deleted, of the same name."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            await _fill(store, turns=1)
            await store.keep_summary("s", _TOLD, owner=ANN)
            await store.keep_summary("gone", _TOLD, owner=ANN)
            found = [await store.recall(name, owner=ANN, max_turns=0) for name in ("s", "gone")]

        assert [each.summary for each in found] == [None, None], "a summary tells what is not there"

    async def test_a_summary_goes_with_its_session(self) -> None:
        """Nothing that was said survives a deletion."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            await _fill(store, turns=2)
            await store.keep_summary("s", _TOLD, owner=ANN)
            await store.delete("s")
            await _fill(store, turns=2)
            found = await store.recall("s", owner=ANN, max_turns=9)

        assert found.summary is None, "a deleted summary has come back"
        assert found.turns == 2, "deleted turns are counted"


async def _fill(store: ConversationStore, *, turns: int) -> None:
    for number in range(turns):
        await store.append("s", turn(number), owner=ANN)
