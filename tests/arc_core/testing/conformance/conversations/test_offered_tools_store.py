"""The suite for offered tools fails for stores that break their contract."""

from collections.abc import Collection
from typing import Any

import pytest

from arc_core import ConversationOwner, OfferedToolsStore, SystemMessage
from arc_core.testing.conformance.conversations.offered_tools_store import (
    OfferedToolsStoreConformance,
)
from arc_core.testing.conformance.conversations.session_values import SESSION_VALUE_RULES
from tests.arc_core.testing.conformance.conversations.list_store import ListStore, SessionKey
from tests.arc_core.testing.conformance.suites import Fault, find_unbroken_rules


class DictStore(ListStore, OfferedToolsStore):
    """A good store, as simple as can be."""

    def __init__(self) -> None:
        super().__init__()
        self.tools: dict[SessionKey, dict[str, Collection[str]]] = {}

    def forget(self, key: SessionKey) -> None:
        super().forget(key)
        self.tools.pop(key, None)

    async def load_offered_tools(
        self, session_id: str, agent: str, *, owner: ConversationOwner
    ) -> Collection[str]:
        return self.tools.get(self.check(session_id, owner), {}).get(agent, ())

    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Collection[str], *, owner: ConversationOwner
    ) -> None:
        key = self.key(session_id, owner)
        if self.owners.get(key) == owner:
            self.tools.setdefault(key, {})[agent] = set(tools)


class TestDictStore(OfferedToolsStoreConformance):
    """A good store passes."""

    def make_offered_tools_store(self) -> OfferedToolsStore:
        return DictStore()


class InventingStore(DictStore):
    """Finds tools where there are none."""

    async def load_offered_tools(self, session_id: str, agent: str, **options: Any) -> Any:
        return await super().load_offered_tools(session_id, agent, **options) or ["refund"]


class ForgetfulStore(DictStore):
    """Forgets the tools with the next message."""

    async def append(self, session_id: str, *values: Any, **options: Any) -> None:
        self.tools.clear()
        await super().append(session_id, *values, **options)


class OneAgentStore(DictStore):
    """Knows one agent only."""

    async def load_offered_tools(self, session_id: str, agent: str, **options: Any) -> Any:
        return await super().load_offered_tools(session_id, "support", **options)

    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Any, **options: Any
    ) -> None:
        await super().keep_offered_tools(session_id, "support", tools, **options)


class MergingStore(DictStore):
    """Keeps what it had beside what is new."""

    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Any, **options: Any
    ) -> None:
        both = {*await self.load_offered_tools(session_id, agent, **options), *tools}
        await super().keep_offered_tools(session_id, agent, both, **options)


class AsciiStore(DictStore):
    """Knows no other letters."""

    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Any, **options: Any
    ) -> None:
        plain = [each.encode("ascii", "replace").decode() for each in tools]
        await super().keep_offered_tools(session_id, agent, plain, **options)


class NotingStore(DictStore):
    """Notes the tools in the conversation."""

    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Any, **options: Any
    ) -> None:
        await super().keep_offered_tools(session_id, agent, tools, **options)
        self.messages[None, session_id].append(SystemMessage(f"{tools}"))


class FamiliarStore(DictStore):
    """Tells every user of a tenant."""

    def check(self, session_id: str, owner: ConversationOwner) -> SessionKey:
        return self.key(session_id, owner)


class SharingStore(DictStore):
    """Has one place for all tenants."""

    async def load_offered_tools(self, session_id: str, agent: str, **options: Any) -> Any:
        found = [each for key, each in self.tools.items() if key[1] == session_id]
        return found[0].get(agent, ()) if found else ()


class TrustingStore(DictStore):
    """Keeps whatever it is given."""

    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Any, **options: Any
    ) -> None:
        self.tools.setdefault((None, session_id), {})[agent] = set(tools)


class ReluctantStore(DictStore):
    """Deletes the messages alone."""

    def forget(self, key: SessionKey) -> None:
        self.messages.pop(key, None)


VALUES = "offered_tools_are_values_of_their_session"
FAULTS = [
    Fault(object, VALUES, "interface"),
    Fault(InventingStore, VALUES, "nothing_is_invented"),
    Fault(MergingStore, VALUES, "the_last_values_count"),
    Fault(NotingStore, VALUES, "messages_stay"),
    Fault(FamiliarStore, VALUES, "strangers_load_nothing"),
    Fault(SharingStore, VALUES, "tenants_are_apart"),
    Fault(TrustingStore, VALUES, "strangers_keep_nothing"),
    Fault(TrustingStore, VALUES, "no_session_keeps_nothing"),
    Fault(ReluctantStore, VALUES, "deletion"),
    Fault(ForgetfulStore, VALUES, "values_come_back"),
    Fault(OneAgentStore, "agents_have_offered_tools_of_their_own"),
    Fault(AsciiStore, "any_name_in_offered_tools_comes_back", "안녕"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_fault_is_found(fault: Fault) -> None:
    """By the rule that is about it."""
    await fault.check(OfferedToolsStoreConformance)


def test_every_rule_is_broken_once() -> None:
    """No test of the suite has never been seen to fail."""
    broken = {fault.arguments[0] for fault in FAULTS if fault.rule == VALUES}

    assert find_unbroken_rules(OfferedToolsStoreConformance, FAULTS) == set()
    assert broken == set(SESSION_VALUE_RULES)
