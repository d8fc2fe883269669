"""Turns and messages of a conversation, and who is given them while they are written."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

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

__all__ = [
    "ALL_KINDS",
    "ANN",
    "ANN_OF_ACME",
    "BLOCKS",
    "BOB",
    "SIGNED",
    "WITH_ATTACHMENTS",
    "leaks",
    "turn",
]


ANN = ConversationOwner("ann")
BOB = ConversationOwner("bob")
ANN_OF_ACME = ConversationOwner("ann", tenant_id="acme")
"""Of a tenant, in which ids of sessions are not those outside it."""

_ATTEMPTS = 60


def turn(number: int) -> Sequence[Message]:
    """A question and its answer."""
    return [UserMessage(f"question {number}"), AssistantMessage(f"answer {number}")]


async def leaks(store: ConversationStore, gives_bob: Callable[[str], Awaitable[bool]]) -> int:
    """In how many of many sessions Bob, who reads until Ann has written, is given anything.

    Args:
        store: Started; no session in it.
        gives_bob: Whether a reading of a session as Bob gives something; may refuse it.
    """
    found = [
        await _is_given(store, f"s{number}", gives_bob=gives_bob, steps=number % 4)
        for number in range(_ATTEMPTS)
    ]
    return sum(found)


async def _is_given(
    store: ConversationStore, name: str, *, gives_bob: Callable[[str], Awaitable[bool]], steps: int
) -> bool:
    has_leaked = False
    async with asyncio.TaskGroup() as group:
        writing = group.create_task(_write_later(store, name, steps=steps))
        while not writing.done():
            with suppress(SessionOwnershipError):
                has_leaked |= await gives_bob(name)
            await asyncio.sleep(0)
    return has_leaked


async def _write_later(store: ConversationStore, name: str, *, steps: int) -> None:
    for _ in range(steps):  # between which steps of a load it gets, differs from store to store
        await asyncio.sleep(0)
    await store.append(name, turn(1), owner=ANN)


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
