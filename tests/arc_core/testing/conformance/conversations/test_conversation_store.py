"""The suite for stores fails for stores that break their contract."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import Any

from arc_core import (
    AssistantMessage,
    ConversationOwner,
    Message,
    SessionOwnershipError,
    UserMessage,
)
from arc_core.testing.conformance.conversations.conversation_store import (
    ConversationStoreConformance,
)
from arc_core.testing.conformance.conversations.session_values import (
    ALL_KINDS,
    ANN,
    ANN_OF_ACME,
    BOB,
    WITH_ATTACHMENTS,
)
from tests.arc_core.testing.conformance.conversations.list_store import ListStore, SessionKey
from tests.arc_core.testing.conformance.suites import Fault, FindsFaultOfEveryRule, make_good_suite

TestListStore = make_good_suite(ConversationStoreConformance, ListStore)


class TextStore(ListStore):
    """Keeps texts only."""

    async def load(self, session_id: str, **options: Any) -> Any:
        found = await super().load(session_id, **options)
        return [
            AssistantMessage(each.content) if isinstance(each, AssistantMessage) else each
            for each in found
        ]


class FoldingStore(ListStore):
    """Takes names for the same that differ."""

    async def append(
        self, session_id: str, messages: Any, *, owner: ConversationOwner, run_id: Any = None
    ) -> None:
        await super().append(session_id.strip().lower(), messages, owner=owner, run_id=run_id)

    async def load(self, session_id: str, **options: Any) -> Any:
        return await super().load(session_id.strip().lower(), **options)


class EncodingStore(ListStore):
    """Breaks on text that is not valid Unicode."""

    async def append(self, session_id: str, messages: Any, **options: Any) -> None:
        session_id.encode()
        await super().append(session_id, messages, **options)


class BareStore(ListStore):
    """Keeps no attachments."""

    async def load(self, session_id: str, **options: Any) -> Any:
        found = await super().load(session_id, **options)
        return [UserMessage(each.text) if isinstance(each, UserMessage) else each for each in found]


class SortingStore(ListStore):
    """Writes the keys of what a vendor signed in an order of its own."""

    async def load(self, session_id: str, **options: Any) -> Any:
        found = await super().load(session_id, **options)
        return [self.sort(each) if isinstance(each, AssistantMessage) else each for each in found]

    def sort(self, message: AssistantMessage) -> AssistantMessage:
        content = json.dumps(message.vendor_content, sort_keys=True)
        return replace(message, vendor_content=json.loads(content))


class RepeatingStore(ListStore):
    """Keeps a run as often as it is saved."""

    async def append(
        self, session_id: str, messages: Any, *, owner: ConversationOwner, **options: Any
    ) -> None:
        await super().append(session_id, messages, owner=owner)


class RacingRunsStore(ListStore):
    """Looks a run up before it writes."""

    async def append(
        self, session_id: str, messages: Any, *, owner: ConversationOwner, run_id: Any = None
    ) -> None:
        key = self.key(session_id, owner)
        is_there = run_id is not None and run_id in self.runs[key]
        await asyncio.sleep(0)
        self.runs[key].add(run_id)
        if not is_there:
            await super().append(session_id, messages, owner=owner)


class OneRunStore(ListStore):
    """Takes a run of one session for that of another."""

    def __init__(self) -> None:
        super().__init__()
        runs: set[str | None] = set()
        self.runs = defaultdict(lambda: runs)


class SpendingStore(ListStore):
    """Counts the run of a stranger."""

    async def append(
        self, session_id: str, messages: Any, *, owner: ConversationOwner, run_id: Any = None
    ) -> None:
        key = self.key(session_id, owner)
        await super().append(session_id, [], owner=self.owners.get(key, owner))
        is_there = run_id is not None and run_id in self.runs[key]
        self.runs[key].add(run_id)
        await super().append(session_id, [] if is_there else messages, owner=owner)


class WholeStore(ListStore):
    """Loads everything."""

    async def load(self, session_id: str, *, owner: ConversationOwner, **options: Any) -> Any:
        return self.messages.get(self.key(session_id, owner), [])


class SlidingStore(ListStore):
    """Leaves turns out one by one."""

    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        return await super().load(session_id, owner=owner, max_turns=max_turns)


class OpenStore(ListStore):
    """Lets every user write."""

    async def append(
        self, session_id: str, messages: Any, *, owner: ConversationOwner, **options: Any
    ) -> None:
        self.owners[self.key(session_id, owner)] = owner
        self.messages.setdefault(self.key(session_id, owner), []).extend(messages)


class RacingStore(ListStore):
    """Decides on the owner before it writes."""

    async def append(
        self, session_id: str, messages: Any, *, owner: ConversationOwner, **options: Any
    ) -> None:
        found = self.owners.get(self.key(session_id, owner))
        await asyncio.sleep(0)
        if found not in {None, owner}:
            raise SessionOwnershipError(session_id=session_id)
        self.owners[self.key(session_id, owner)] = owner
        self.messages.setdefault(self.key(session_id, owner), []).extend(messages)


class PeekingStore(ListStore):
    """Looks the owner up before it loads."""

    async def load(self, session_id: str, *, owner: ConversationOwner, **options: Any) -> Any:
        found = self.owners.get(self.key(session_id, owner))
        await asyncio.sleep(0)
        if found not in {None, owner}:
            raise SessionOwnershipError(session_id=session_id)
        return self.messages.get(self.key(session_id, owner), [])


class TellingStore(ListStore):
    """Lets every user read, and makes a session of whatever is read."""

    async def load(self, session_id: str, *, owner: ConversationOwner, **options: Any) -> Any:
        self.owners.setdefault(self.key(session_id, owner), owner)
        return self.messages.get(self.key(session_id, owner), [])


class JsonStore(ListStore):
    """Compares owners as JSON writes them."""

    async def load(self, session_id: str, *, owner: ConversationOwner, **options: Any) -> Any:
        found = self.owners.get(self.key(session_id, owner), owner)
        if json.dumps(astuple(found)) != json.dumps(astuple(owner)):
            raise SessionOwnershipError(session_id=session_id)
        return self.messages.get(self.key(session_id, owner), [])


class SingleStore(ListStore):
    """Writes one message after the other."""

    async def append(
        self, session_id: str, messages: Any, *, owner: ConversationOwner, **options: Any
    ) -> None:
        for message in messages:
            await super().append(session_id, [message], owner=owner)
            await asyncio.sleep(0)


class ReluctantStore(ListStore):
    """Keeps what was deleted."""

    def forget(self, key: SessionKey) -> None:
        self.owners.pop(key, None)


class RememberingStore(ListStore):
    """Keeps the runs of what was deleted."""

    def forget(self, key: SessionKey) -> None:
        self.owners.pop(key, None)
        self.messages.pop(key, None)


class DeafStore(ListStore):
    """Goes on when it is cancelled."""

    async def append(self, session_id: str, messages: Any, **options: Any) -> None:
        try:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            await super().append(session_id, messages, **options)
            if not messages:
                raise
        else:
            await super().append(session_id, messages, **options)


class OneLifeStore(ListStore):
    """Cannot be started again."""

    lives = 1

    async def start(self) -> None:
        assert self.lives > 0, "there is no second life"
        self.lives -= 1


class ForgetfulStore(ListStore):
    """Knows no owner."""

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        return None


class IdStore(ListStore):
    """Knows ids, and no tenants."""

    def key(self, session_id: str, owner: ConversationOwner) -> SessionKey:
        return None, session_id


class TenantStore(ListStore):
    """Takes all of a tenant for one user."""

    def check(self, session_id: str, owner: ConversationOwner) -> SessionKey:
        return self.key(session_id, owner)


class SweepingStore(ListStore):
    """Deletes in every tenant."""

    async def delete(self, session_id: str, *, owner: ConversationOwner | None = None) -> None:
        for key in [each for each in self.owners if each[1] == session_id]:
            self.forget(key)


APART = "a_stranger_neither_reads_nor_writes"
HALF_AND_WHOLE = [ConversationOwner(each, "\ud800") for each in ("\ud83d\ude00", "\U0001f600")]
FAULTS = [
    Fault(object, "it_is_a_conversation_store"),
    Fault(TextStore, "messages_come_back_with_role_and_fields", ALL_KINDS),
    Fault(BareStore, "messages_come_back_with_role_and_fields", WITH_ATTACHMENTS),
    Fault(SortingStore, "what_a_vendor_signed_comes_back_byte_for_byte"),
    Fault(RepeatingStore, "a_run_is_saved_once"),
    Fault(RacingRunsStore, "a_run_that_is_saved_many_times_at_once_is_there_once"),
    Fault(OneRunStore, "a_run_may_be_saved_into_each_session"),
    Fault(RememberingStore, "a_deleted_session_is_free"),
    Fault(SpendingStore, "a_run_of_a_stranger_is_refused"),
    Fault(EncodingStore, "any_text_comes_back", "a\ud800", error=UnicodeEncodeError),
    Fault(WholeStore, "the_last_turns_are_loaded", 2),
    Fault(SlidingStore, "a_growing_session_is_loaded_from_the_same_turn_on"),
    Fault(WholeStore, "a_step_that_leaves_no_turn_is_none"),
    Fault(ForgetfulStore, "the_first_writer_owns_the_session"),
    Fault(TellingStore, "the_first_writer_owns_the_session"),
    Fault(TellingStore, APART, ANN, BOB),
    Fault(PeekingStore, "a_quick_stranger_reads_nothing"),
    Fault(JsonStore, APART, *HALF_AND_WHOLE),
    Fault(OpenStore, APART, ANN, BOB),
    Fault(RacingStore, "of_many_first_writers_one_wins"),
    Fault(SingleStore, "concurrent_appends_stay_adjacent"),
    Fault(FoldingStore, "sessions_are_apart"),
    Fault(IdStore, "tenants_have_sessions_of_their_own", error=SessionOwnershipError),
    Fault(TenantStore, APART, ANN_OF_ACME, ConversationOwner("bob", "acme")),
    Fault(SweepingStore, "an_owners_session_is_deleted"),
    Fault(SweepingStore, "an_id_of_several_tenants_names_no_session"),
    Fault(ReluctantStore, "a_deleted_session_is_free"),
    Fault(SingleStore, "a_cancelled_append_is_whole_or_nothing"),
    Fault(DeafStore, "a_cancelled_append_is_whole_or_nothing"),
    Fault(OneLifeStore, "a_store_can_be_started_again"),
]


class TestFaults(FindsFaultOfEveryRule):
    """Each of them is found."""

    suite, faults = ConversationStoreConformance, FAULTS
