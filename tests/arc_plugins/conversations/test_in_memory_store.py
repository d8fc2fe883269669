"""Conversations are kept in this process, within bounds."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import (
    AssistantMessage,
    Message,
    SessionOwnershipError,
    SystemMessage,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.interfaces.conversations.conversation_store import (
    ConversationOwner,
    ConversationStore,
    HandoffStore,
    ListsSessions,
    OfferedToolsStore,
    SummaryStore,
)
from arc_core.interfaces.optional import HealthStatus
from arc_core.messages.attachments import attachments_in
from arc_core.messages.content import Attachment, Text
from arc_core.testing.conformance.conversations.conversation_store import (
    ConversationStoreConformance,
)
from arc_core.testing.conformance.conversations.handoff_store import HandoffStoreConformance
from arc_core.testing.conformance.conversations.lists_sessions import ListsSessionsConformance
from arc_core.testing.conformance.conversations.offered_tools_store import (
    OfferedToolsStoreConformance,
)
from arc_core.testing.conformance.conversations.summary_store import SummaryStoreConformance
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore

ANN = ConversationOwner("ann")
PICTURE_BYTES = 900_000


class TestConformance(
    ConversationStoreConformance,
    SummaryStoreConformance,
    HandoffStoreConformance,
    OfferedToolsStoreConformance,
    ListsSessionsConformance,
):
    """It is a store like any other."""

    def make_store(self) -> ConversationStore:
        return InMemoryConversationStore()

    def make_handoff_store(self) -> HandoffStore:
        return InMemoryConversationStore()

    def make_offered_tools_store(self) -> OfferedToolsStore:
        return InMemoryConversationStore()

    def make_listing_store(self) -> ListsSessions:
        return InMemoryConversationStore()

    def make_summary_store(self) -> SummaryStore:
        return InMemoryConversationStore()


def turn(number: int) -> list[Message]:
    """A question and its answer."""
    return [UserMessage(f"question {number}"), AssistantMessage(f"answer {number}")]


async def filled(store: InMemoryConversationStore, turns: int) -> list[Message]:
    """The messages of a session of so many turns, after they were appended."""
    messages = [message for number in range(turns) for message in turn(number)]
    for number in range(turns):
        await store.append("s", messages[2 * number : 2 * number + 2], owner=ANN)
    return messages


async def test_messages_come_back_as_the_same_objects() -> None:
    """Chat models keep encodings per message object."""
    store = InMemoryConversationStore()
    messages = await filled(store, 2)

    loaded = await store.load("s", owner=ANN, max_turns=2)

    assert list(map(id, loaded)) == list(map(id, messages))


@pytest.mark.parametrize(("max_turns", "kept"), [(0, 0), (1, 2), (2, 4), (3, 6), (9, 6), (-1, 0)])
async def test_the_last_turns_are_loaded(max_turns: int, kept: int) -> None:
    """Oldest first, and no more turns than asked for."""
    store = InMemoryConversationStore()
    messages = await filled(store, 3)

    loaded = await store.load("s", owner=ANN, max_turns=max_turns)

    assert list(loaded) == messages[len(messages) - kept :]


async def test_tool_and_system_messages_keep_their_place_in_a_turn() -> None:
    """A turn is a user message and all that follows it, with its roles."""
    store = InMemoryConversationStore()
    messages: list[Message] = [
        UserMessage("question"),
        AssistantMessage("", tool_calls=(ToolCall("1", "tool", "{}"),)),
        ToolResultMessage((ToolResult("1", "tool", "result"),)),
        SystemMessage("note"),
        AssistantMessage("answer"),
    ]

    await store.append("s", messages, owner=ANN)

    assert list(await store.load("s", owner=ANN, max_turns=1)) == messages


async def test_what_comes_before_the_first_question_is_not_loaded() -> None:
    """Every loaded history starts with a user message."""
    store = InMemoryConversationStore()

    await store.append("s", [AssistantMessage("welcome"), *turn(1)], owner=ANN)

    assert list(await store.load("s", owner=ANN, max_turns=5)) == turn(1)


async def test_the_first_to_write_owns_a_session() -> None:
    """No user owns a session before, and no other user after."""
    store = InMemoryConversationStore()
    before = await store.owner_of("s")

    await store.append("s", turn(1), owner=ANN)

    assert before is None
    assert await store.owner_of("s") == ANN


async def test_another_user_cannot_write() -> None:
    """Another user is refused."""
    store = InMemoryConversationStore()
    await store.append("s", turn(1), owner=ANN)

    with pytest.raises(SessionOwnershipError, match="'s' belongs to another user"):
        await store.append("s", turn(2), owner=ConversationOwner("bob"))

    assert list(await store.load("s", owner=ANN, max_turns=9)) == turn(1)


async def test_a_deleted_session_is_free_again() -> None:
    """Its messages and its owner are forgotten; deleting twice does no harm."""
    store = InMemoryConversationStore()
    await store.append("s", turn(1), owner=ANN)

    await store.delete("s")
    await store.delete("s")

    assert await store.owner_of("s") is None
    assert list(await store.load("s", owner=ANN, max_turns=9)) == []


async def test_the_least_recently_used_session_goes() -> None:
    """Reading a session keeps it; asking for its owner does not."""
    store = InMemoryConversationStore(max_sessions=2)
    await store.append("a", turn(1), owner=ANN)
    await store.append("b", turn(1), owner=ANN)
    await store.load("a", owner=ANN, max_turns=1)
    await store.owner_of("b")

    await store.append("c", turn(1), owner=ANN)

    assert [await store.owner_of(name) for name in "abc"] == [ANN, None, ANN]


async def test_the_oldest_turns_of_a_long_session_go() -> None:
    """Whole turns, so that a session still starts with a question."""
    store = InMemoryConversationStore(max_messages=5)
    messages = await filled(store, 4)

    assert list(await store.load("s", owner=ANN, max_turns=9)) == messages[4:]


async def test_the_last_turn_stays_whole() -> None:
    """A turn longer than the bound is not cut in the middle."""
    store = InMemoryConversationStore(max_messages=1)
    await filled(store, 3)

    assert list(await store.load("s", owner=ANN, max_turns=9)) == turn(2)


async def test_so_many_runs_are_remembered_as_messages() -> None:
    """A long session does not grow by the ids of its runs."""
    store = InMemoryConversationStore(max_messages=4)
    for number in range(9):
        await store.append("s", turn(number), owner=ANN, run_id=f"r{number}")

    await store.append("s", turn(8), owner=ANN, run_id="r8")

    assert list(await store.load("s", owner=ANN, max_turns=9)) == [*turn(7), *turn(8)]
    assert len(store._sessions[None, "s"].runs) == 4


def copy_of_picture(fill: bytes = b"x") -> Attachment:
    """A picture whose bytes are an object of their own."""
    return Attachment("image/png", data=bytes(bytearray(fill * PICTURE_BYTES)))


async def append_pictures(store: InMemoryConversationStore, pictures: list[Attachment]) -> None:
    """A session with a turn for each of them."""
    for picture in pictures:
        asked = UserMessage((Text("What is it?"), picture))
        await store.append("s", [asked, AssistantMessage("A picture.")], owner=ANN)


async def test_an_attachment_is_kept_once() -> None:
    """Twenty copies of one picture, read from a file each time, take the memory of one."""
    store = InMemoryConversationStore()
    tracemalloc.start()

    await append_pictures(store, [copy_of_picture() for _ in range(20)])

    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 2 * PICTURE_BYTES


async def test_an_attachment_that_is_kept_once_comes_back_in_each_message() -> None:
    """Whichever of its copies is kept; others stay others."""
    store = InMemoryConversationStore()
    pictures = [copy_of_picture(), copy_of_picture(b"y"), copy_of_picture()]

    await append_pictures(store, pictures)

    loaded = await store.load("s", owner=ANN, max_turns=9)
    found = [each for message in loaded for each in attachments_in(message)]
    assert found == pictures
    assert found[0].data is found[2].data


async def test_sessions_go_when_their_bytes_are_too_many() -> None:
    """The least recently used first, although their number is within its bound."""
    store = InMemoryConversationStore(max_bytes=50_000)
    for name in "abcd":
        await store.append(name, [UserMessage("x" * 20_000)], owner=ANN)

    assert [await store.owner_of(name) for name in "abcd"] == [None, None, ANN, ANN]


async def test_turns_of_the_last_session_go_when_their_bytes_are_too_many() -> None:
    """One long session is cut, oldest turns first, and its newest turn stays whatever it takes."""
    store = InMemoryConversationStore(max_bytes=50_000)
    for number in range(4):
        await store.append("s", [UserMessage(f"{number}" * 20_000)], owner=ANN)
    last_two = await store.load("s", owner=ANN, max_turns=9)
    await store.append("s", [UserMessage("y" * 90_000)], owner=ANN)

    assert [message.text[:1] for message in last_two if isinstance(message, UserMessage)] == [
        "2",
        "3",
    ]
    assert len(await store.load("s", owner=ANN, max_turns=9)) == 1


async def test_what_is_gone_takes_no_bytes() -> None:
    """Deleted, pushed out or cut: the count comes back to zero."""
    store = InMemoryConversationStore(max_sessions=2, max_messages=2)
    for name in "abc":
        await store.append(name, [UserMessage((Text(name), copy_of_picture()))], owner=ANN)
        await store.append(name, turn(1), owner=ANN)
        await store.append(name, turn(2), owner=ANN)

    for name in "abc":
        await store.delete(name)

    assert store._held.total == 0


async def test_steps_go_on_in_a_session_whose_oldest_turns_are_gone() -> None:
    """They count from the first turn there ever was, and what is left is loaded at least."""
    store, first = InMemoryConversationStore(max_messages=12), []

    for number in range(1, 13):
        await store.append("s", turn(number), owner=ANN)
        loaded = await store.load("s", owner=ANN, max_turns=9, step=4)
        first.append(loaded[0])

    begins = [1, 1, 1, 1, 1, 1, 5, 5, 5, 5, 9, 9]
    assert first == [turn(number)[0] for number in begins]


async def test_loading_looks_at_the_returned_turns_only() -> None:
    """A load does not get slower with the length of the session: the rest is not even touched."""
    store = InMemoryConversationStore(max_messages=10**9)
    await filled(store, 3)
    session = store._sessions[None, "s"]

    class Untouchable(list[Message]):
        def __iter__(self) -> None:  # type: ignore[override]
            raise AssertionError("an old turn was read")

    session.turns.extendleft(Untouchable() for _ in range(100))

    assert len(await store.load("s", owner=ANN, max_turns=3)) == 6


@pytest.mark.slow
@given(
    st.lists(st.lists(st.sampled_from([UserMessage("q"), AssistantMessage("a")]), max_size=5)),
    st.integers(2, 8),
    st.integers(0, 9),
)
async def test_a_history_starts_with_a_question(
    appends: list[list[Message]], max_messages: int, max_turns: int
) -> None:
    """Whatever was appended: a suffix of it, of no more turns than asked for."""
    store = InMemoryConversationStore(max_messages=max_messages)
    for messages in appends:
        await store.append("s", messages, owner=ANN)

    loaded = list(await store.load("s", owner=ANN, max_turns=max_turns))

    everything = [message for messages in appends for message in messages]
    assert everything[len(everything) - len(loaded) :] == loaded
    assert not loaded or isinstance(loaded[0], UserMessage)
    assert sum(isinstance(message, UserMessage) for message in loaded) <= max_turns


def test_it_is_a_store() -> None:
    """The wiring finds it by its interface."""
    assert isinstance(InMemoryConversationStore(), ConversationStore)


async def test_it_checks_its_health() -> None:
    """By keeping a conversation for a moment."""
    health = await InMemoryConversationStore().check_health()

    assert health.status is HealthStatus.OK
    assert health.summary == "memory keeps what is written, and deletes it"
