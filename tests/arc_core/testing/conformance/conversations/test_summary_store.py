"""The suite for summaries fails for stores that break their contract."""

import asyncio
from dataclasses import replace

from arc_core import ConversationOwner, ConversationSummary, Recollection, SummaryStore, UserMessage
from arc_core.testing.conformance.conversations.summary_store import SummaryStoreConformance
from tests.arc_core.testing.conformance.conversations.list_store import ListStore, SessionKey
from tests.arc_core.testing.conformance.suites import Fault, FindsFaultOfEveryRule, make_good_suite


class DictStore(ListStore, SummaryStore):
    """A good store, as simple as can be."""

    def __init__(self) -> None:
        super().__init__()
        self.summaries: dict[SessionKey, ConversationSummary] = {}

    def forget(self, key: SessionKey) -> None:
        super().forget(key)
        self.summaries.pop(key, None)

    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        last = await self.load(session_id, owner=owner, max_turns=max_turns, step=step)
        key = self.key(session_id, owner)
        turns = sum(isinstance(each, UserMessage) for each in self.messages.get(key, []))
        return Recollection(turns=turns, messages=tuple(last), summary=self.summaries.get(key))

    async def keep_summary(
        self, session_id: str, summary: ConversationSummary, *, owner: ConversationOwner
    ) -> None:
        key = self.key(session_id, owner)
        if self.owners.get(key) != owner:
            return
        found = await self.recall(session_id, owner=owner, max_turns=0)
        told = found.summary.turns if found.summary else 0
        if told < summary.turns <= found.turns:
            self.summaries[key] = summary


TestDictStore = make_good_suite(SummaryStoreConformance, DictStore)


class TrustingStore(DictStore):
    """Keeps whatever summary it is given."""

    async def keep_summary(
        self, session_id: str, summary: ConversationSummary, *, owner: ConversationOwner
    ) -> None:
        self.summaries[None, session_id] = summary


class DroppingStore(DictStore):
    """Keeps no summary."""

    async def keep_summary(
        self, session_id: str, summary: ConversationSummary, *, owner: ConversationOwner
    ) -> None:
        """Forget it."""


class ReluctantStore(DictStore):
    """Keeps the summary of what was deleted."""

    def forget(self, key: SessionKey) -> None:
        self.owners.pop(key, None)
        self.messages.pop(key, None)


class MiscountingStore(DictStore):
    """Counts the turns that it hands out."""

    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        found = await super().recall(session_id, owner=owner, max_turns=max_turns, step=step)
        return replace(found, turns=min(found.turns, max_turns))


class PeekingStore(DictStore):
    """Looks the owner up before it reads, and hides nothing."""

    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        key = self.key(session_id, owner)
        found = self.owners.get(key, owner)
        await asyncio.sleep(0)
        return await super().recall(
            session_id, owner=self.owners.get(key, found), max_turns=max_turns, step=step
        )


class SlidingStore(DictStore):
    """Leaves turns out one by one."""

    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        return await super().recall(session_id, owner=owner, max_turns=max_turns)


class SharingStore(DictStore):
    """Has one summary for all tenants."""

    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        found = await super().recall(session_id, owner=owner, max_turns=max_turns, step=step)
        told = [each for key, each in self.summaries.items() if key[1] == session_id]
        return replace(found, summary=told[0] if told else None)


class InventingStore(DictStore):
    """Recalls what was never said."""

    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        return Recollection(turns=1, messages=[UserMessage("hello")])


VALUES = "summaries_are_values_of_their_session"
FAULTS = [
    Fault(object, VALUES, "interface"),
    Fault(PeekingStore, VALUES, "strangers_load_nothing"),
    Fault(SharingStore, VALUES, "tenants_are_apart"),
    Fault(DroppingStore, VALUES, "values_come_back"),
    Fault(TrustingStore, VALUES, "strangers_keep_nothing"),
    Fault(TrustingStore, VALUES, "no_session_keeps_nothing"),
    Fault(ReluctantStore, VALUES, "deletion"),
    Fault(InventingStore, "nothing_is_recalled_of_no_session"),
    Fault(PeekingStore, "a_quick_stranger_recalls_nothing"),
    Fault(MiscountingStore, "turns_are_counted"),
    Fault(SlidingStore, "turns_are_recalled_in_steps"),
    Fault(TrustingStore, "a_summary_never_tells_less"),
    Fault(TrustingStore, "a_summary_of_more_than_there_is_is_not_kept"),
]


class TestFaults(FindsFaultOfEveryRule):
    """Each of them is found."""

    suite, faults = SummaryStoreConformance, FAULTS
