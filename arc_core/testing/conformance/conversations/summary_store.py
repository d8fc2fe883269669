"""Rules of every `SummaryStore` that a summarizing conversation manager relies on."""

from abc import abstractmethod
from typing import Any

import pytest

from arc_core.interfaces.conversations.conversation_store import (
    ConversationOwner,
    ConversationStore,
    ConversationSummary,
    Recollection,
    SummaryStore,
)
from arc_core.testing.conformance.components import AsyncSuite
from arc_core.testing.conformance.conversations.session_values import (
    ANN,
    BOB,
    SESSION_VALUE_RULES,
    SessionValues,
    count_leaks,
    turn,
)

SUMMARY_RULES = [each for each in SESSION_VALUE_RULES if each != "the_last_values_count"]
"""A summary that tells no more than the kept one does not replace it."""

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


class SummaryStoreConformance(AsyncSuite):
    """Inherit from it, beside `ConversationStoreConformance`, and say how your store is made."""

    @abstractmethod
    def make_summary_store(self) -> SummaryStore:
        """A new store, not started, in which no session exists; a `ConversationStore` too."""

    @pytest.mark.parametrize("rule", SUMMARY_RULES)
    async def test_summaries_are_values_of_their_session(self, rule: str) -> None:
        """They come back to their owner, and go with the session."""
        await getattr(_Summaries(self.make_summary_store()), f"check_{rule}")()

    async def test_nothing_is_recalled_of_no_session(self) -> None:
        """No turns, no messages, no summary."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            found = await store.recall("s", owner=ANN, max_turns=9)

        assert found == Recollection(), "an unknown session is not empty"

    async def test_a_quick_stranger_recalls_nothing(self) -> None:
        """While the first append makes the owner, a recall of another user's is given nothing."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:

            async def recall(name: str) -> object:
                return await store.recall(name, owner=BOB, max_turns=9) != Recollection()

            leaks = await count_leaks(lambda name: store.append(name, turn(1), owner=ANN), recall)

        assert leaks == 0, "a recall that began before the first append was given its messages"

    async def test_turns_are_counted(self) -> None:
        """All since the session was made; messages are those of as many as are asked for."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            await _fill(store, turns=3)
            found = await store.recall("s", owner=ANN, max_turns=1)
            await store.delete("s")
            await _fill(store, turns=2)
            again = await store.recall("s", owner=ANN, max_turns=9)

        assert (found.turns, again.turns) == (3, 2), "every turn of a session counts"
        assert list(found.messages) == turn(2), "the last turn was wanted"

    async def test_turns_are_recalled_in_steps(self) -> None:
        """As `load` gives them."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            for number in range(6):
                await store.append("s", turn(number), owner=ANN)
            found = await store.recall("s", owner=ANN, max_turns=5, step=3)

        assert list(found.messages) == [*turn(3), *turn(4), *turn(5)], "a multiple of 3 was wanted"
        assert found.turns == 6, "every turn counts"

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
        assert found.turns == 3, "a summary does not change the turns"

    async def test_a_summary_of_more_than_there_is_is_not_kept(self) -> None:
        """It belongs to a session that was deleted, of the same name."""
        async with _Summaries(self.make_summary_store()).with_sessions() as store:
            await _fill(store, turns=1)
            await store.keep_summary("s", _TOLD, owner=ANN)
            found = await store.recall("s", owner=ANN, max_turns=0)

        assert found.summary is None, "a summary tells what is not there"


async def _fill(store: ConversationStore, *, turns: int) -> None:
    for number in range(turns):
        await store.append("s", turn(number), owner=ANN)
