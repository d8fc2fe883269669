"""The suite for handoffs fails for stores that break their contract."""

from collections.abc import Mapping
from typing import Any

import pytest

from arc_core import ConversationOwner, HandoffStore, SystemMessage
from arc_core.testing.conformance.conversations.handoff_store import HandoffStoreConformance
from arc_core.testing.conformance.conversations.session_values import SESSION_VALUE_RULES
from tests.arc_core.testing.conformance.conversations.list_store import ListStore, SessionKey
from tests.arc_core.testing.conformance.suites import Fault, find_unbroken_rules


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


VALUES = "handoffs_are_values_of_their_session"
FAULTS = [
    Fault(object, VALUES, "interface"),
    Fault(InventingStore, VALUES, "nothing_is_invented"),
    Fault(ForgetfulStore, VALUES, "values_come_back"),
    Fault(MergingStore, VALUES, "the_last_values_count"),
    Fault(NotingStore, VALUES, "messages_stay"),
    Fault(FamiliarStore, VALUES, "strangers_load_nothing"),
    Fault(SharingStore, VALUES, "tenants_are_apart"),
    Fault(TrustingStore, VALUES, "strangers_keep_nothing"),
    Fault(TrustingStore, VALUES, "no_session_keeps_nothing"),
    Fault(ReluctantStore, VALUES, "deletion"),
    Fault(AsciiStore, "any_name_in_handoffs_comes_back", "안녕"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_fault_is_found(fault: Fault) -> None:
    """By the rule that is about it."""
    await fault.check(HandoffStoreConformance)


def test_every_rule_is_broken_once() -> None:
    """No test of the suite has never been seen to fail."""
    broken = {fault.arguments[0] for fault in FAULTS if fault.rule == VALUES}

    assert find_unbroken_rules(HandoffStoreConformance, FAULTS) == set()
    assert broken == set(SESSION_VALUE_RULES)
