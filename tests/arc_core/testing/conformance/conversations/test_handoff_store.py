"""The suite for handoffs fails for stores that break their contract."""

from collections.abc import Mapping
from typing import Any

import pytest

from arc_core import ConversationOwner, HandoffStore, SystemMessage
from arc_core.testing.conformance.conversations.handoff_store import HandoffStoreConformance
from tests.arc_core.testing.conformance.conversations.list_store import ListStore, SessionKey


class DictStore(ListStore, HandoffStore):
    """A good store, as simple as can be."""

    def __init__(self) -> None:
        super().__init__()
        self.handoffs: dict[SessionKey, dict[str, str]] = {}

    def forget(self, key: SessionKey) -> None:
        super().forget(key)
        self.handoffs.pop(key, None)

    async def load_handoffs(
        self, session_id: str, *, owner: ConversationOwner
    ) -> Mapping[str, str]:
        return self.handoffs.get(self.check(session_id, owner), {})

    async def keep_handoffs(
        self, session_id: str, handoffs: Mapping[str, str], *, owner: ConversationOwner
    ) -> None:
        key = self.key(session_id, owner)
        if self.owners.get(key) == owner:
            self.handoffs[key] = dict(handoffs)


class TestDictStore(HandoffStoreConformance):
    """A good store passes."""

    def make_handoff_store(self) -> HandoffStore:
        return DictStore()


class InventingStore(DictStore):
    """Finds handoffs where there are none."""

    async def load_handoffs(self, session_id: str, *, owner: ConversationOwner) -> Any:
        return await super().load_handoffs(session_id, owner=owner) or {"a": "b"}


class ForgetfulStore(DictStore):
    """Forgets handoffs with the next message."""

    async def append(self, session_id: str, *values: Any, **options: Any) -> None:
        self.handoffs.clear()
        await super().append(session_id, *values, **options)


class MergingStore(DictStore):
    """Keeps what it had beside what is new."""

    async def keep_handoffs(self, session_id: str, handoffs: Any, **options: Any) -> None:
        both = self.handoffs.get((None, session_id), {}) | handoffs
        await super().keep_handoffs(session_id, both, **options)


class AsciiStore(DictStore):
    """Knows no other letters."""

    async def keep_handoffs(self, session_id: str, handoffs: Any, **options: Any) -> None:
        plain = {each: name.encode("ascii", "replace").decode() for each, name in handoffs.items()}
        plain = {each.strip(): name.replace("\0", "") for each, name in plain.items()}
        await super().keep_handoffs(session_id, plain, **options)


class NotingStore(DictStore):
    """Notes handoffs in the conversation."""

    async def keep_handoffs(self, session_id: str, handoffs: Any, **options: Any) -> None:
        await super().keep_handoffs(session_id, handoffs, **options)
        self.messages[None, session_id].append(SystemMessage(f"{handoffs}"))


class FamiliarStore(DictStore):
    """Tells every user of a tenant."""

    async def load_handoffs(self, session_id: str, *, owner: ConversationOwner) -> Any:
        return self.handoffs.get(self.key(session_id, owner), {})


class SharingStore(DictStore):
    """Has one place for all tenants."""

    async def load_handoffs(self, session_id: str, *, owner: ConversationOwner) -> Any:
        return next((each for key, each in self.handoffs.items() if key[1] == session_id), {})


class TrustingStore(DictStore):
    """Keeps whatever it is given."""

    async def keep_handoffs(self, session_id: str, handoffs: Any, **options: Any) -> None:
        self.handoffs[None, session_id] = dict(handoffs)


class ReluctantStore(DictStore):
    """Deletes the messages alone."""

    def forget(self, key: SessionKey) -> None:
        self.messages.pop(key, None)


FAULTS: list[tuple[type[Any], str]] = [
    (object, "it_is_a_handoff_store"),
    (InventingStore, "no_session_has_handoffs"),
    (ForgetfulStore, "handoffs_come_back"),
    (MergingStore, "the_last_handoffs_count"),
    (AsciiStore, "any_name_in_handoffs_comes_back"),
    (NotingStore, "messages_stay_beside_handoffs"),
    (FamiliarStore, "a_strangers_handoffs_are_not_loaded"),
    (SharingStore, "tenants_have_handoffs_of_their_own"),
    (TrustingStore, "a_strangers_handoffs_are_not_kept"),
    (TrustingStore, "handoffs_of_no_session_are_not_kept"),
    (ReluctantStore, "handoffs_go_with_their_session"),
]


@pytest.mark.parametrize(("store", "claim"), FAULTS)
async def test_a_fault_is_found(store: type[Any], claim: str) -> None:
    """The suite's test of a claim fails for a store that breaks it."""

    class Suite(HandoffStoreConformance):
        def make_handoff_store(self) -> Any:
            return store()

    test = getattr(Suite(), f"test_{claim}")
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        await (test("안녕") if claim == "any_name_in_handoffs_comes_back" else test())


def test_every_claim_is_broken_once() -> None:
    """No test of the suite has never been seen to fail."""
    claims = {name for name in vars(HandoffStoreConformance) if name.startswith("test_")}

    assert {f"test_{claim}" for _, claim in FAULTS} == claims
