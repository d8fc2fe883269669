"""The suite for handoffs fails for stores that break their contract."""

from collections.abc import Mapping
from typing import Any

from arc_core import ConversationOwner, HandoffStore
from arc_core.testing.conformance.conversations.handoff_store import HandoffStoreConformance
from tests.arc_core.testing.conformance.conversations.value_stores import (
    FindsFaultsOfValues,
    ValueStore,
    list_faults,
)
from tests.arc_core.testing.conformance.suites import Fault, make_good_suite

VALUES = "handoffs_are_values_of_their_session"


class DictStore(ValueStore, HandoffStore):
    """A good store, as simple as can be."""

    empty, invented = {}, {"a": "b"}

    async def load_handoffs(
        self, session_id: str, *, owner: ConversationOwner
    ) -> Mapping[str, str]:
        found: Mapping[str, str] = await self.load_value(session_id, owner)
        return found

    async def keep_handoffs(
        self, session_id: str, handoffs: Mapping[str, str], *, owner: ConversationOwner
    ) -> None:
        await self.keep_value(session_id, dict(handoffs), owner)


TestDictStore = make_good_suite(HandoffStoreConformance, DictStore)


class AsciiStore(DictStore):
    """Knows no other letters."""

    async def keep_handoffs(self, session_id: str, handoffs: Any, **options: Any) -> None:
        plain = {each: name.encode("ascii", "replace").decode() for each, name in handoffs.items()}
        plain = {each.strip(): name.replace("\0", "") for each, name in plain.items()}
        await super().keep_handoffs(session_id, plain, **options)


class TestFaults(FindsFaultsOfValues):
    """Each of them is found."""

    suite, values = HandoffStoreConformance, VALUES
    faults = (
        *list_faults(DictStore, VALUES),
        Fault(AsciiStore, "any_name_in_handoffs_comes_back", "안녕"),
    )
