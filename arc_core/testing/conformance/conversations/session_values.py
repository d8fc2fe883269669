"""Rules for values that a store keeps beside the messages of sessions: handoffs, offered tools."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from arc_core.errors import SessionOwnershipError
from arc_core.interfaces.conversations.conversation_store import (
    ConversationOwner,
    ConversationStore,
)
from arc_core.messages import (
    AssistantMessage,
    Message,
    Reasoning,
    SystemMessage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.content import Attachment, Text
from arc_core.testing.conformance.components import check_interface, running

ANN = ConversationOwner("ann")
BOB = ConversationOwner("bob")
ANN_OF_ACME = ConversationOwner("ann", tenant_id="acme")
"""Of a tenant, in which ids of sessions are not those outside it."""

_ATTEMPTS = 60


def turn(number: int) -> Sequence[Message]:
    """A question and its answer."""
    return [UserMessage(f"question {number}"), AssistantMessage(f"answer {number}")]


Step = Callable[[str], Awaitable[object]]
"""Writes or reads the session of a name."""


async def count_leaks(write_as_ann: Step, read_as_bob: Step) -> int:
    """Return in how many sessions Bob, who reads until Ann has written, is given anything."""
    leaks = 0
    for number in range(_ATTEMPTS):
        name, is_given = f"s{number}", False

        async def write_later(name: str = name, steps: int = number % 4) -> None:
            for _ in range(steps):  # between which steps of a read it gets, differs
                await asyncio.sleep(0)
            await write_as_ann(name)

        async with asyncio.TaskGroup() as group:
            writing = group.create_task(write_later())
            while not writing.done():
                with suppress(SessionOwnershipError):
                    is_given |= bool(await read_as_bob(name))
                await asyncio.sleep(0)
        leaks += is_given
    return leaks


ALL_KINDS: tuple[Message, ...] = (
    UserMessage("question"),
    AssistantMessage("", tool_calls=(ToolCall("1", "find", '{"q": "x"}'), ToolCall("", "go", "{"))),
    ToolResultMessage((
        ToolResult("1", "find", "found"),
        ToolResult("", "go", "Error: no", ToolOutcome.INVALID_ARGUMENTS),
    )),
    SystemMessage("note"),
    AssistantMessage("answer"),
)  # fmt: skip

SIGNED = [{"type": "thinking", "signature": "Er4B+/=\u2028", "z": 1, "a": {"é": [1.0, None, True]}}]
BLOCKS = AssistantMessage(
    "",
    reasoning=(Reasoning("hm", "Er4B+/="), Reasoning("", "gAAAA==", redacted=True)),
    vendor_content=SIGNED,
)
_PICTURE = Attachment("image/png", data=bytes(range(256)), name="a.png")
WITH_ATTACHMENTS: tuple[Message, ...] = (
    UserMessage((Text("Look"), _PICTURE, Attachment("image/png", url="https://example.com/b.png"))),
    ToolResultMessage((ToolResult("1", "draw", (_PICTURE, Text("drawn"))),)),
)


class SessionValues(ABC):
    """Values of one kind in a new store that is not started; each check is a rule for them."""

    interface: type
    title: str
    first: Any
    later: Any
    empty: Any

    def __init__(self, store: Any) -> None:
        self.store = store

    @abstractmethod
    async def load(self, session_id: str, owner: ConversationOwner) -> Any:
        """The value of a session, as it is compared with others."""

    @abstractmethod
    async def keep(self, session_id: str, value: Any, owner: ConversationOwner) -> None:
        """Replace the value of a session."""

    @asynccontextmanager
    async def with_sessions(self, *session_ids: str) -> AsyncIterator[Any]:
        """The store, started, with sessions of Ann's of one turn."""
        assert isinstance(self.store, ConversationStore), f"{self.title} are beside no messages"
        async with running(self.store) as store:
            for session_id in session_ids:
                await store.append(session_id, turn(1), owner=ANN)
            yield store

    async def check_interface(self) -> None:
        """It has the methods that managers call."""
        check_interface(self.store, self.interface)
        assert isinstance(self.store, ConversationStore), f"{self.title} are beside no messages"

    async def check_nothing_is_invented(self) -> None:
        """A session has none before some are kept, and reading makes no session."""
        async with self.with_sessions() as store:
            before, owner = await self.load("s", ANN), await store.owner_of("s")
            await store.append("s", turn(1), owner=ANN)
            after = await self.load("s", ANN)

        assert (before, after) == (self.empty, self.empty), f"there are {self.title} never kept"
        assert owner is None, "reading has made a session"

    async def bear_name(self, text: str, value: Any) -> None:
        """Sessions, users and what the value names may be called anything."""
        owner = ConversationOwner(text, tenant_id=text)
        async with self.with_sessions() as store:
            await store.append(text, turn(1), owner=owner)
            await self.keep(text, value, owner)
            found = await self.load(text, owner)

        assert found == value, "a name has changed in the store"

    async def check_values_come_back(self) -> None:
        """Of their session alone, whatever is said after them."""
        async with self.with_sessions("s", "t") as store:
            await self.keep("s", self.first, ANN)
            for number in range(5):
                await store.append("s", turn(number), owner=ANN)
            found = [await self.load(name, ANN) for name in ("s", "t")]

        assert found == [self.first, self.empty], f"the {self.title} have changed in the store"

    async def check_the_last_values_count(self) -> None:
        """They replace all that were kept before; none may be left."""
        wanted, found = [self.first, self.later, self.empty], []
        async with self.with_sessions("s"):
            for each in wanted:
                await self.keep("s", each, ANN)
                found.append(await self.load("s", ANN))

        assert found == wanted, f"earlier {self.title} are left"

    async def check_messages_stay(self) -> None:
        """Messages are as they were."""
        async with self.with_sessions("s") as store:
            await self.keep("s", self.first, ANN)
            loaded = await store.load("s", owner=ANN, max_turns=9)

        assert list(loaded) == turn(1), f"the {self.title} have changed the messages"

    async def check_strangers_load_nothing(self) -> None:
        """Another user is refused, whether or not there are any."""
        async with self.with_sessions("s"):
            with pytest.raises(SessionOwnershipError):
                await self.load("s", BOB)
            await self.keep("s", self.first, ANN)
            with pytest.raises(SessionOwnershipError):
                await self.load("s", BOB)

    async def check_tenants_are_apart(self) -> None:
        """In sessions of one id."""
        async with self.with_sessions("s") as store:
            await store.append("s", turn(1), owner=ANN_OF_ACME)
            await self.keep("s", self.first, ANN)
            await self.keep("s", self.later, ANN_OF_ACME)
            found = [await self.load("s", each) for each in (ANN, ANN_OF_ACME)]

        assert found == [self.first, self.later], f"tenants share the {self.title} of a session"

    async def check_strangers_keep_nothing(self) -> None:
        """They come too late: the session is another user's now."""
        async with self.with_sessions("s"):
            await self.keep("s", self.first, BOB)
            found = await self.load("s", ANN)

        assert found == self.empty, f"a stranger's {self.title} were kept"

    async def check_no_session_keeps_nothing(self) -> None:
        """It was deleted meanwhile; its name stays free."""
        async with self.with_sessions() as store:
            await self.keep("s", self.first, ANN)
            await store.append("s", turn(1), owner=BOB)
            found = await self.load("s", BOB)

        assert found == self.empty, f"{self.title} were kept for a session that was not there"

    async def check_deletion(self) -> None:
        """A new session of the name begins with none."""
        async with self.with_sessions("s") as store:
            await self.keep("s", self.first, ANN)
            await store.delete("s")
            await store.append("s", turn(1), owner=ANN)
            found = await self.load("s", ANN)

        assert found == self.empty, f"deleted {self.title} have come back"


SESSION_VALUE_RULES = tuple(
    name.removeprefix("check_") for name in vars(SessionValues) if name.startswith("check_")
)
"""The checks of `SessionValues`."""
