"""The suite for offered tools fails for stores that break their contract."""

from collections.abc import Collection
from typing import Any

from arc_core import ConversationOwner, OfferedToolsStore
from arc_core.testing.conformance.conversations.offered_tools_store import (
    OfferedToolsStoreConformance,
)
from tests.arc_core.testing.conformance.conversations.value_stores import (
    FindsFaultsOfValues,
    ValueStore,
    list_faults,
)
from tests.arc_core.testing.conformance.suites import Fault, make_good_suite

VALUES = "offered_tools_are_values_of_their_session"


class SetStore(ValueStore, OfferedToolsStore):
    """A good store, as simple as can be."""

    empty, invented = frozenset[str](), frozenset({"refund"})

    async def load_offered_tools(
        self, session_id: str, agent: str, *, owner: ConversationOwner
    ) -> Collection[str]:
        found: Collection[str] = await self.load_value(session_id, owner, agent)
        return found

    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Collection[str], *, owner: ConversationOwner
    ) -> None:
        await self.keep_value(session_id, frozenset(tools), owner, agent)


TestSetStore = make_good_suite(OfferedToolsStoreConformance, SetStore)


class OneAgentStore(SetStore):
    """Knows one agent only."""

    async def load_value(self, session_id: str, owner: ConversationOwner, name: str = "") -> Any:
        return await super().load_value(session_id, owner)

    async def keep_value(
        self, session_id: str, value: Any, owner: ConversationOwner, name: str = ""
    ) -> None:
        await super().keep_value(session_id, value, owner)


class AsciiStore(SetStore):
    """Knows no other letters."""

    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Any, **options: Any
    ) -> None:
        plain = [each.encode("ascii", "replace").decode() for each in tools]
        await super().keep_offered_tools(session_id, agent, plain, **options)


class TestFaults(FindsFaultsOfValues):
    """Each of them is found."""

    suite, values = OfferedToolsStoreConformance, VALUES
    faults = (
        *list_faults(SetStore, VALUES),
        Fault(OneAgentStore, "agents_have_offered_tools_of_their_own"),
        Fault(AsciiStore, "any_name_in_offered_tools_comes_back", "안녕"),
    )
