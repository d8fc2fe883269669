"""The suite for handoffs fails for stores that break their contract."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arc_core import (
    ConversationOwner,
    ConversationStore,
    HandoffStore,
    Message,
    SessionOwnershipError,
    SystemMessage,
)
from arc_core.testing.conformance.handoff_store import HandoffStoreConformance


class DictStore(ConversationStore, HandoffStore):
    """A good store, as simple as can be."""

    def __init__(self) -> None:
        self.owners: dict[str, ConversationOwner] = {}
        self.messages: dict[str, list[Message]] = {}
        self.handoffs: dict[str, dict[str, str]] = {}

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        return self.owners.get(session_id)

    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        return self.messages.get(session_id, [])

    async def append(
        self,
        session_id: str,
        messages: Sequence[Message],
        *,
        owner: ConversationOwner,
        run_id: str | None = None,
    ) -> None:
        self.owners[session_id] = owner
        self.messages.setdefault(session_id, []).extend(messages)

    async def delete(self, session_id: str) -> None:
        for kept in (self.owners, self.messages, self.handoffs):
            kept.pop(session_id, None)

    async def load_handoffs(
        self, session_id: str, *, owner: ConversationOwner
    ) -> Mapping[str, str]:
        if self.owners.get(session_id, owner) != owner:
            raise SessionOwnershipError(session_id=session_id)
        return self.handoffs.get(session_id, {})

    async def keep_handoffs(
        self, session_id: str, handoffs: Mapping[str, str], *, owner: ConversationOwner
    ) -> None:
        if self.owners.get(session_id) == owner:
            self.handoffs[session_id] = dict(handoffs)


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
        both = self.handoffs.get(session_id, {}) | handoffs
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
        self.messages[session_id].append(SystemMessage(f"{handoffs}"))


class FamiliarStore(DictStore):
    """Takes users of one name for one user."""

    async def load_handoffs(self, session_id: str, *, owner: ConversationOwner) -> Any:
        known = self.owners.get(session_id, owner)
        if known.user_id != owner.user_id:
            raise SessionOwnershipError(session_id=session_id)
        return self.handoffs.get(session_id, {})


class TrustingStore(DictStore):
    """Keeps whatever it is given."""

    async def keep_handoffs(self, session_id: str, handoffs: Any, **options: Any) -> None:
        self.handoffs[session_id] = dict(handoffs)


class ReluctantStore(DictStore):
    """Deletes the messages alone."""

    async def delete(self, session_id: str) -> None:
        self.messages.pop(session_id, None)


FAULTS: list[tuple[type[Any], str]] = [
    (object, "it_is_a_handoff_store"),
    (InventingStore, "no_session_has_handoffs"),
    (ForgetfulStore, "handoffs_come_back"),
    (MergingStore, "the_last_handoffs_count"),
    (AsciiStore, "any_name_comes_back"),
    (NotingStore, "messages_stay_as_they_are"),
    (FamiliarStore, "a_strangers_handoffs_are_not_loaded"),
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
        await (test("안녕") if claim == "any_name_comes_back" else test())


def test_every_claim_is_broken_once() -> None:
    """No test of the suite has never been seen to fail."""
    claims = {name for name in vars(HandoffStoreConformance) if name.startswith("test_")}

    assert {f"test_{claim}" for _, claim in FAULTS} == claims
