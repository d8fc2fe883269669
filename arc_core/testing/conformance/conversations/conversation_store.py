"""Rules of every `ConversationStore` that conversation managers rely on."""

import json
from abc import abstractmethod
from collections.abc import Sequence

import pytest

from arc_core.errors import AmbiguousSessionError, SessionOwnershipError
from arc_core.interfaces.conversations.conversation_store import (
    ConversationOwner,
    ConversationStore,
)
from arc_core.messages import AssistantMessage, Message, UserMessage
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    running,
)
from arc_core.testing.conformance.conversations.session_values import (
    ALL_KINDS,
    ANN,
    ANN_OF_ACME,
    BLOCKS,
    BOB,
    SIGNED,
    WITH_ATTACHMENTS,
    count_leaks,
    turn,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_AT_ONCE = 20

_HALVES, _WHOLE = (ConversationOwner(text, "\ud800") for text in ("\ud83d\ude00", "\U0001f600"))
_STRANGERS = [
    *((ANN, ConversationOwner(name)) for name in ("bob", "Ann", "ann ", "ann\x00", "\u00e1nn")),
    (ANN_OF_ACME, ConversationOwner("bob", tenant_id=ANN_OF_ACME.tenant_id)),
    (ConversationOwner("\u00e1nn"), ConversationOwner("a\u0301nn")),
    (_HALVES, _WHOLE),
]
"""Owners, and others who are not them, however alike their names are written."""

_TENANTS = (None, "", "acme", "Acme", "acme ", "acme\x00", "\u00e1", "a\u0301", "\ud800")
"""None of them is another."""


class ConversationStoreConformance(AsyncSuite):
    """Inherit from it and say how your store is made."""

    @abstractmethod
    def make_store(self) -> ConversationStore:
        """A new store, not started, in which no session exists."""

    async def test_it_is_a_conversation_store(self) -> None:
        """It has the methods that managers call."""
        check_interface(self.make_store(), ConversationStore)

    @pytest.mark.parametrize("messages", [ALL_KINDS, WITH_ATTACHMENTS], ids=["kinds", "files"])
    async def test_messages_come_back_with_role_and_fields(
        self, messages: Sequence[Message]
    ) -> None:
        """Every kind of message is as it was, with tool calls, outcomes and attachments."""
        async with running(self.make_store()) as store:
            await store.append("s", messages, owner=ANN)
            loaded = await store.load("s", owner=ANN, max_turns=1)

        assert tuple(loaded) == messages, "messages have changed in the store"

    async def test_what_a_vendor_signed_comes_back_byte_for_byte(self) -> None:
        """The order of keys too: a vendor refuses a block that it has not signed."""
        async with running(self.make_store()) as store:
            await store.append("s", [UserMessage("question"), BLOCKS], owner=ANN)
            _, loaded = await store.load("s", owner=ANN, max_turns=1)

        assert isinstance(loaded, AssistantMessage)
        assert loaded.reasoning == BLOCKS.reasoning, "reasoning has changed in the store"
        found = json.dumps(loaded.vendor_content)
        assert found == json.dumps(SIGNED), "signed blocks have changed in the store"

    async def test_a_run_is_saved_once(self) -> None:
        """A later append of the same run adds nothing; other runs, and those of none, do."""
        async with running(self.make_store()) as store:
            for number, run_id in enumerate(["r1", "r1", "r2", None, None, "r1"]):
                await store.append("s", turn(number), owner=ANN, run_id=run_id)
            loaded = await store.load("s", owner=ANN, max_turns=9)

        wanted = [message for number in (0, 2, 3, 4) for message in turn(number)]
        assert list(loaded) == wanted, "of a run that was saved again, something was added"

    async def test_a_run_that_is_saved_many_times_at_once_is_there_once(self) -> None:
        """The store decides on the first of them."""
        async with running(self.make_store()) as store:
            await call_together(
                store.append("s", turn(1), owner=ANN, run_id="r") for _ in range(_AT_ONCE)
            )
            loaded = await store.load("s", owner=ANN, max_turns=9)

        assert list(loaded) == turn(1), "a run that was saved at once is there more than once"

    async def test_a_run_may_be_saved_into_each_session(self) -> None:
        """Messages of one session are not in another."""
        async with running(self.make_store()) as store:
            for name in ("s", "t"):
                await store.append(name, turn(1), owner=ANN, run_id="r")
            loaded = [list(await store.load(name, owner=ANN, max_turns=9)) for name in ("s", "t")]

        assert loaded == [turn(1), turn(1)], "a run of one session was taken for that of another"

    async def test_a_run_of_a_stranger_is_refused(self) -> None:
        """Also one that has the id of a run that is there; the owner's own run is not spent."""
        async with running(self.make_store()) as store:
            await store.append("s", turn(1), owner=ANN, run_id="r")
            for run_id in ("r", "r2"):
                with pytest.raises(SessionOwnershipError):
                    await store.append("s", turn(2), owner=BOB, run_id=run_id)
            await store.append("s", turn(3), owner=ANN, run_id="r2")
            loaded = await store.load("s", owner=ANN, max_turns=9)

        assert list(loaded) == [*turn(1), *turn(3)], "a refused append has left something"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_text_comes_back(self, text: str) -> None:
        """Messages, session ids, users and runs may hold any character."""
        owner = ConversationOwner(text, tenant_id=text)

        async with running(self.make_store()) as store:
            await store.append(text, [UserMessage(text)], owner=owner, run_id=text)
            loaded = await store.load(text, owner=owner, max_turns=1)
            found = await store.owner_of(text)

        assert list(loaded) == [UserMessage(text)], "a text has changed in the store"
        assert found == owner, "an owner's name has changed in the store"

    @pytest.mark.parametrize("max_turns", [-1, 0, 1, 2, 3, 4])
    async def test_the_last_turns_are_loaded(self, max_turns: int) -> None:
        """At most so many, oldest first, each starting with a user message."""
        async with running(self.make_store()) as store:
            await store.append("s", [AssistantMessage("welcome")], owner=ANN)
            for number in range(3):
                await store.append("s", turn(number), owner=ANN)
            loaded = await store.load("s", owner=ANN, max_turns=max_turns)

        kept = min(max(max_turns, 0), 3)
        expected = [message for number in range(3 - kept, 3) for message in turn(number)]
        assert list(loaded) == expected, f"of 3 turns the last {kept} were wanted"

    async def test_a_growing_session_is_loaded_from_the_same_turn_on(self) -> None:
        """Before it the session has had a multiple of `step` turns, whatever it has now."""
        found = []
        async with running(self.make_store()) as store:
            for number in range(1, 9):
                await store.append("s", turn(number), owner=ANN)
                found.append(list(await store.load("s", owner=ANN, max_turns=5, step=3)))

        expected = [
            [message for number in range(first, last + 1) for message in turn(number)]
            for last, first in enumerate((1, 1, 1, 1, 1, 4, 4, 4), 1)
        ]
        assert found == expected, "turns are left out one by one, and not in steps"

    async def test_a_step_that_leaves_no_turn_is_none(self) -> None:
        """The last turns are loaded, and never more than asked for."""
        async with running(self.make_store()) as store:
            for number in range(7):
                await store.append("s", turn(number), owner=ANN)
            loaded = [
                await store.load("s", owner=ANN, max_turns=most, step=10) for most in (0, 1, 9)
            ]

        everything = [message for number in range(7) for message in turn(number)]
        assert list(map(list, loaded)) == [[], turn(6), everything], "turns are missing"

    async def test_the_first_writer_owns_the_session(self) -> None:
        """No user owns an empty one, reading makes no owner, and an append of no messages does."""
        async with running(self.make_store()) as store:
            loaded = await store.load("s", owner=ANN, max_turns=9)
            before = await store.owner_of("s")
            await store.append("s", [], owner=ANN)
            after = await store.owner_of("s")

        assert (list(loaded), before) == ([], None), "reading has made a session"
        assert after == ANN, "the first append has not made the owner"

    @pytest.mark.parametrize(("owner", "stranger"), _STRANGERS, ids=repr)
    async def test_a_stranger_neither_reads_nor_writes(
        self, owner: ConversationOwner, stranger: ConversationOwner
    ) -> None:
        """Another user is refused and leaves no trace; names are not folded."""
        async with running(self.make_store()) as store:
            await store.append("s", turn(1), owner=owner)
            with pytest.raises(SessionOwnershipError):
                await store.load("s", owner=stranger, max_turns=9)
            with pytest.raises(SessionOwnershipError):
                await store.append("s", turn(2), owner=stranger)
            loaded = await store.load("s", owner=owner, max_turns=9)
            found = await store.owner_of("s")

        assert list(loaded) == turn(1), "a refused append has left messages"
        assert found == owner, "the owner has changed"

    async def test_a_quick_stranger_reads_nothing(self) -> None:
        """While the first append makes the owner, a load of another user's is given nothing."""
        async with running(self.make_store()) as store:
            leaks = await count_leaks(
                lambda name: store.append(name, turn(1), owner=ANN),
                lambda name: store.load(name, owner=BOB, max_turns=9),
            )

        assert leaks == 0, "a load that began before the first append was given its messages"

    async def test_of_many_first_writers_one_wins(self) -> None:
        """The store decides on the first; the others are refused."""
        owners = [ConversationOwner(f"user-{number}") for number in range(_AT_ONCE)]
        async with running(self.make_store()) as store:
            writes = await call_together(_was_written(store, owner) for owner in owners)

        assert sum(writes) == 1, "a session has several owners"

    async def test_concurrent_appends_stay_adjacent(self) -> None:
        """Of runs that end at the same time, each pair stands together, and none is lost."""
        async with running(self.make_store()) as store:
            await call_together(
                store.append("s", turn(number), owner=ANN) for number in range(_AT_ONCE)
            )
            loaded = list(await store.load("s", owner=ANN, max_turns=_AT_ONCE))

        pairs = [loaded[place : place + 2] for place in range(0, len(loaded), 2)]
        wanted = [turn(number) for number in range(_AT_ONCE)]
        assert sorted(pairs, key=repr) == sorted(wanted, key=repr), "pairs are mixed up or lost"

    async def test_sessions_are_apart(self) -> None:
        """Nothing of another session is loaded, however alike the names are."""
        names = ("s", "S", " s", "s ")
        async with running(self.make_store()) as store:
            for number, name in enumerate(names):
                await store.append(name, turn(number), owner=ANN)
            loaded = [list(await store.load(name, owner=ANN, max_turns=9)) for name in names]

        assert loaded == [turn(number) for number in range(4)]

    async def test_tenants_have_sessions_of_their_own(self) -> None:
        """One id is as many conversations as there are tenants; names are not folded."""
        owners = [ConversationOwner("ann", tenant_id=each) for each in _TENANTS]
        async with running(self.make_store()) as store:
            for number, owner in enumerate(owners):
                before = await store.load("s", owner=owner, max_turns=9)
                assert list(before) == [], "a session of one tenant is there for another"
                await store.append("s", turn(number), owner=owner, run_id="r")
            loaded = [list(await store.load("s", owner=each, max_turns=9)) for each in owners]

        assert loaded == [turn(number) for number in range(len(owners))], "tenants share a session"

    async def test_an_owners_session_is_deleted(self) -> None:
        """The one of another tenant stays, and so does that of another user."""
        async with running(self.make_store()) as store:
            for owner in (ANN, ANN_OF_ACME):
                await store.append("s", turn(1), owner=owner)
            await store.delete("s", owner=ANN_OF_ACME)
            with pytest.raises(SessionOwnershipError):
                await store.delete("s", owner=BOB)
            loaded = [
                list(await store.load("s", owner=each, max_turns=9)) for each in (ANN, ANN_OF_ACME)
            ]

        assert loaded == [turn(1), []], "not the session of the owner was deleted"

    async def test_an_id_of_several_tenants_names_no_session(self) -> None:
        """Nothing is deleted by it, and no owner is told; an id of one tenant is enough."""
        async with running(self.make_store()) as store:
            await store.append("t", turn(1), owner=ANN_OF_ACME)
            found = await store.owner_of("t")
            await store.delete("t")
            for owner in (ANN, ANN_OF_ACME):
                await store.append("s", turn(1), owner=owner)
            with pytest.raises(AmbiguousSessionError) as refusal:
                await store.delete("s")
            with pytest.raises(AmbiguousSessionError):
                await store.owner_of("s")
            loaded = [list(await store.load(name, owner=ANN_OF_ACME, max_turns=9)) for name in "st"]

        assert found == ANN_OF_ACME, "a session of a tenant is not found by its id"
        assert loaded == [turn(1), []], "an id names a session, or several"
        assert set(refusal.value.owners) == {ANN, ANN_OF_ACME}, "whose they are is not told"

    async def test_a_deleted_session_is_free(self) -> None:
        """Messages, runs and owner are gone, others may write; deleting twice does no harm."""
        async with running(self.make_store()) as store:
            await store.append("s", turn(1), owner=ANN, run_id="r")
            await store.delete("s")
            await store.delete("s")
            loaded = await store.load("s", owner=ANN, max_turns=9)
            owner = await store.owner_of("s")
            await store.append("s", turn(2), owner=BOB, run_id="r")
            again = await store.load("s", owner=BOB, max_turns=9)
            with pytest.raises(SessionOwnershipError):
                await store.load("s", owner=ANN, max_turns=9)

        assert (list(loaded), owner) == ([], None), "something of the session is left"
        assert list(again) == turn(2), "old messages have come back, or a run is remembered"

    async def test_a_cancelled_append_is_whole_or_nothing(self) -> None:
        """A cancellation leaves the store, which stays usable and keeps no half of a pair."""
        async with running(self.make_store()) as store:
            await check_cancellation_leaves(store.append("s", turn(1), owner=ANN, run_id="r"))
            after = list(await store.load("s", owner=ANN, max_turns=9))
            await store.append("s", turn(1), owner=ANN, run_id="r")
            await store.append("s", turn(2), owner=ANN)
            loaded = list(await store.load("s", owner=ANN, max_turns=9))
        assert after in ([], turn(1)), "half of an append was kept"
        assert loaded == [*turn(1), *turn(2)], "a cancelled append cannot be made up for"

    async def test_a_store_can_be_started_again(self) -> None:
        """A closed store can be started and used again."""
        store = self.make_store()
        async with running(store):
            pass
        async with running(store):
            await store.append("s", turn(1), owner=ANN)
            loaded = await store.load("s", owner=ANN, max_turns=1)

        assert list(loaded) == turn(1)


async def _was_written(store: ConversationStore, owner: ConversationOwner) -> bool:
    try:
        await store.append("s", turn(1), owner=owner)
    except SessionOwnershipError:
        return False
    return True
