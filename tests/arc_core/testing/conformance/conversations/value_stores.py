"""Stores of a value beside the messages of a session: a good one, and one for each broken rule."""

from typing import Any

from arc_core import ConversationOwner, SystemMessage
from arc_core.testing.conformance.conversations.session_values import SESSION_VALUE_RULES
from tests.arc_core.testing.conformance.conversations.list_store import ListStore, SessionKey
from tests.arc_core.testing.conformance.suites import Fault, FindsFaults, find_unbroken_rules

__all__ = ["FindsFaultsOfValues", "ValueStore", "list_faults"]


class ValueStore(ListStore):
    """A good store; a subclass names its methods as its interface does.

    Attributes:
        empty: What a session has before a value is kept.
        invented: Another value.
    """

    empty: Any
    invented: Any

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[SessionKey, dict[str, Any]] = {}

    def forget(self, key: SessionKey) -> None:
        super().forget(key)
        self.values.pop(key, None)

    async def load_value(self, session_id: str, owner: ConversationOwner, name: str = "") -> Any:
        return self.values.get(self.check(session_id, owner), {}).get(name, self.empty)

    async def keep_value(
        self, session_id: str, value: Any, owner: ConversationOwner, name: str = ""
    ) -> None:
        key = self.key(session_id, owner)
        if self.owners.get(key) == owner:
            self.values.setdefault(key, {})[name] = value


class Inventing(ValueStore):
    """Finds a value where there is none."""

    async def load_value(self, session_id: str, *place: Any) -> Any:
        return await super().load_value(session_id, *place) or self.invented


class Forgetful(ValueStore):
    """Forgets values with the next message."""

    async def append(self, session_id: str, *values: Any, **options: Any) -> None:
        self.values.clear()
        await super().append(session_id, *values, **options)


class Merging(ValueStore):
    """Keeps what it had beside what is new."""

    async def keep_value(self, session_id: str, value: Any, *place: Any) -> None:
        both = await self.load_value(session_id, *place) | value
        await super().keep_value(session_id, both, *place)


class Noting(ValueStore):
    """Notes values in the conversation."""

    async def keep_value(self, session_id: str, value: Any, *place: Any) -> None:
        await super().keep_value(session_id, value, *place)
        self.messages[None, session_id].append(SystemMessage(f"{value}"))


class Familiar(ValueStore):
    """Tells every user of a tenant."""

    def check(self, session_id: str, owner: ConversationOwner) -> SessionKey:
        return self.key(session_id, owner)


class Sharing(ValueStore):
    """Has one place for all tenants."""

    async def load_value(self, session_id: str, owner: ConversationOwner, name: str = "") -> Any:
        found = (each for key, each in self.values.items() if key[1] == session_id)
        return next(found, {}).get(name, self.empty)


class Trusting(ValueStore):
    """Keeps whatever it is given."""

    async def keep_value(
        self, session_id: str, value: Any, owner: ConversationOwner, name: str = ""
    ) -> None:
        self.values.setdefault((None, session_id), {})[name] = value


class Reluctant(ValueStore):
    """Deletes the messages alone."""

    def forget(self, key: SessionKey) -> None:
        self.messages.pop(key, None)


_BREAKING = {
    "nothing_is_invented": Inventing,
    "values_come_back": Forgetful,
    "the_last_values_count": Merging,
    "messages_stay": Noting,
    "strangers_load_nothing": Familiar,
    "tenants_are_apart": Sharing,
    "strangers_keep_nothing": Trusting,
    "no_session_keeps_nothing": Trusting,
    "deletion": Reluctant,
}


def list_faults(good: type[ValueStore], rule: str) -> list[Fault]:
    """The faults of stores that would be good but for one of the rules for values.

    Args:
        good: The store.
        rule: The test of its suite that has these rules.
    """
    broken = (
        Fault(type(breaking.__name__, (good, breaking), {}), rule, name)
        for name, breaking in _BREAKING.items()
    )
    return [Fault(object, rule, "interface"), *broken]


class FindsFaultsOfValues(FindsFaults):
    """The faults break every rule of the suite, and each of the rules for values.

    Attributes:
        values: The test of the suite that has these.
    """

    values: str

    def test_every_rule_is_broken_once(self) -> None:
        """No test of the suite has never been seen to fail."""
        broken = {fault.arguments[0] for fault in self.faults if fault.rule == self.values}

        assert find_unbroken_rules(self.suite, self.faults) == set()
        assert broken == set(SESSION_VALUE_RULES)
