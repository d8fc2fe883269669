"""The suite for lists of sessions fails for stores that break their contract."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from arc_core import ConversationOwner, ListedSession, ListsSessions
from arc_core.messages.sessions import title_of
from arc_core.testing.conformance.conversations.lists_sessions import ListsSessionsConformance
from tests.arc_core.testing.conformance.conversations.list_store import ListStore, SessionKey
from tests.arc_core.testing.conformance.suites import Fault, FindsFaultOfEveryRule, make_good_suite


class DictStore(ListStore, ListsSessions):
    """A good store, as simple as can be."""

    async def append(
        self, session_id: str, messages: Any, *, owner: ConversationOwner, run_id: Any = None
    ) -> None:
        await super().append(session_id, messages, owner=owner, run_id=run_id)
        key = self.key(session_id, owner)
        self.messages[key] = self.messages.pop(key)

    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Sequence[ListedSession]:
        own = [key for key in reversed(self.messages) if self.owners[key] == owner]
        return [
            ListedSession(
                session_id=key[1], title=title_of(self.messages[key]), updated_at=datetime.now(UTC)
            )
            for key in own[:limit]
        ]


TestDictStore = make_good_suite(ListsSessionsConformance, DictStore)


class OldestFirstStore(DictStore):
    """Lists in the order in which sessions were begun."""

    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Any:
        return list(reversed(await super().sessions_of(owner, limit=limit)))


class GenerousStore(DictStore):
    """Lists them all."""

    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Any:
        return await super().sessions_of(owner, limit=limit + 99)


class SlowClockStore(DictStore):
    """Has the time of another zone."""

    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Any:
        then = datetime.now(UTC) - timedelta(hours=9)
        found = await super().sessions_of(owner, limit=limit)
        return [
            ListedSession(session_id=each.session_id, title=each.title, updated_at=then)
            for each in found
        ]


class TrimmingStore(DictStore):
    """Knows no blanks, and no letters but English ones."""

    async def append(self, session_id: str, *values: Any, **options: Any) -> None:
        plain = session_id.encode("ascii", "ignore").decode().strip().replace("\0", "")[:50]
        await super().append(plain.casefold(), *values, **options)


class FamiliarStore(DictStore):
    """Takes users who begin alike for one user."""

    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Any:
        for name, known in self.owners.items():
            if known.user_id[:3] == owner.user_id[:3]:
                self.owners[name] = owner
        return await super().sessions_of(owner, limit=limit)


class ReluctantStore(DictStore):
    """Keeps what it was to delete."""

    def forget(self, key: SessionKey) -> None:
        return


class SharingStore(DictStore):
    """Lists for a user what is in another tenant."""

    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Any:
        named = {each for each in self.owners.values() if each.user_id == owner.user_id}
        return [
            s
            for each in named
            for s in await super(SharingStore, self).sessions_of(each, limit=limit)
        ]


FAULTS = [
    Fault(object, "it_lists_sessions"),
    Fault(OldestFirstStore, "the_last_appended_to_comes_first"),
    Fault(GenerousStore, "there_are_so_many_at_most"),
    Fault(SlowClockStore, "a_session_has_title_and_time"),
    Fault(TrimmingStore, "any_name_is_listed", "안녕"),
    Fault(FamiliarStore, "sessions_of_strangers_are_not_listed"),
    Fault(SharingStore, "tenants_have_lists_of_their_own"),
    Fault(ReluctantStore, "a_deleted_session_is_not_listed"),
]


class TestFaults(FindsFaultOfEveryRule):
    """Each of them is found."""

    suite, faults = ListsSessionsConformance, FAULTS
