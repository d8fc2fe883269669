"""The last turns of a conversation, for its owner only."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from arc_autoconfig import Application
from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AssistantMessage,
    Attachment,
    ConversationManager,
    ConversationOwner,
    ConversationStore,
    Message,
    Reasoning,
    SessionOwnershipError,
    Text,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.interfaces.agent_metrics import FaultSource
from arc_core.log import get_logger
from arc_core.settings import OnFailure, Trim
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.conversations.conversation_manager import (
    ConversationManagerConformance,
)
from arc_core.testing.fakes import RecordingMetrics
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore
from arc_plugins.conversations.managers.window import WindowConversationManager
from arc_plugins.conversations.settings import HistorySettings

ANSWER = AgentResult(success=True, content="answer")
ANN = ConversationOwner("ann")
PAIR: list[Message] = [UserMessage("question"), AssistantMessage("answer")]


class BrokenStore(InMemoryConversationStore):
    """A store that can say neither whose a session is nor what is in it."""

    async def load(self, session_id: str, **_: Any) -> Sequence[Message]:
        """Fail."""
        raise ConnectionError(session_id)

    async def append(self, session_id: str, messages: Sequence[Message], **_: Any) -> None:
        """Fail."""
        raise ConnectionError(session_id)


def manager(store: ConversationStore, **settings: Any) -> WindowConversationManager:
    """A manager on a store."""
    return WindowConversationManager(
        store=store, settings=HistorySettings(**settings), logger=get_logger("test")
    )


def command(user_id: str | None = "ann", *, tenant_id: str | None = None) -> AgentCommand:
    """A question in the session `s`."""
    return AgentCommand(
        user_prompt="question", user_id=user_id, tenant_id=tenant_id, session_id="s"
    )


async def stored(store: ConversationStore) -> Sequence[Message]:
    """All of the session."""
    return list(await store.load("s", owner=ANN, max_turns=99))


class TestConformance(ConversationManagerConformance):
    """It is a manager like any other."""

    def make_manager(self) -> ConversationManager:
        return manager(InMemoryConversationStore())


async def test_what_is_saved_is_loaded() -> None:
    """Question and answer come back in the next run of the session."""
    memory = manager(InMemoryConversationStore())

    await memory.save_history(command(), ANSWER)

    assert list(await memory.load_history(command())) == PAIR


async def test_the_window_is_the_last_turns() -> None:
    """`conversation.max_turns` turns are loaded, and all are kept."""
    store = InMemoryConversationStore()
    memory = manager(store, max_turns=2)

    for _ in range(3):
        await memory.save_history(command(), ANSWER)

    assert list(await memory.load_history(command())) == PAIR * 2
    assert await stored(store) == PAIR * 3


async def test_a_run_without_session_has_no_history() -> None:
    """Nothing is loaded, nothing is kept."""
    store = InMemoryConversationStore()
    memory = manager(store)
    sessionless = AgentCommand(user_prompt="question")

    await memory.save_history(sessionless, ANSWER)

    assert list(await memory.load_history(sessionless)) == []
    assert not store._sessions


async def test_a_streamed_answer_is_kept_like_any_other() -> None:
    """The text of the last turn makes the pair."""
    store = InMemoryConversationStore()

    await manager(store).save_streaming_history(command(), "answer")

    assert await stored(store) == PAIR


async def test_a_blank_answer_leaves_no_orphaned_question() -> None:
    """A question without an answer is not kept as a success."""
    store = InMemoryConversationStore()

    await manager(store).save_streaming_history(command(), " ")

    assert await stored(store) == []


async def test_a_stranger_loads_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """A session is empty for another user, and that is logged."""
    memory = manager(InMemoryConversationStore())
    await memory.save_history(command("ann"), ANSWER)

    assert list(await memory.load_history(command("bob"))) == []
    assert "belongs to another user" in caplog.text


async def test_a_stranger_saves_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The owner's messages stay alone, no error reaches the run, and it is logged."""
    store = InMemoryConversationStore()
    memory = manager(store)
    await memory.save_history(command("ann"), ANSWER)

    await memory.save_history(command("bob"), ANSWER)

    assert await stored(store) == PAIR
    assert "belongs to another user" in caplog.text


@pytest.mark.parametrize("user_id", [None, "", " ", "anonymous"])
async def test_all_users_without_a_name_are_one(user_id: str | None) -> None:
    """A missing, an empty and a blank user id are the same owner."""
    memory = manager(InMemoryConversationStore())
    await memory.save_history(command(None), ANSWER)

    assert list(await memory.load_history(command(user_id))) == PAIR


async def test_tenants_have_conversations_of_their_own() -> None:
    """Of one session id: each remembers what it has said, and its history is available."""
    model = ScriptedChatModel(["one", "two", "three"])
    application = Application(register=[model, InMemoryConversationStore()], plugins=False)

    async with application as app:
        results = [
            await app.execute(command(tenant_id=tenant)) for tenant in ("acme", "globex", "globex")
        ]

    assert [len(request.messages) for request in model.requests] == [1, 1, 3]
    assert all(result.history_available for result in results)


async def test_the_history_of_another_users_session_is_not_available() -> None:
    """The result tells it; a new session's empty history is available."""
    model = ScriptedChatModel(["one", "two"])
    application = Application(register=[model, InMemoryConversationStore()], plugins=False)

    async with application as app:
        results = [await app.execute(command(user, tenant_id="acme")) for user in ("ann", "bob")]

    assert [result.history_available for result in results] == [True, False]
    assert list(model.requests[1].messages) == [UserMessage("question")]


class IdStore(InMemoryConversationStore):
    """A store that was written when ids alone were the key."""

    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        found = next((each for key, each in self._sessions.items() if key[1] == session_id), None)
        if found is not None and found.owner != owner:
            raise SessionOwnershipError(session_id=session_id)
        return await super().load(session_id, owner=owner, max_turns=max_turns, step=step)


async def test_a_store_that_knows_ids_only_refuses_the_second_tenant(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As it always did; the log and the result say that there is no memory."""
    model = ScriptedChatModel(["one", "two"])
    application = Application(register=[model, IdStore()], plugins=False)

    async with application as app:
        results = [await app.execute(command(tenant_id=each)) for each in ("acme", "globex")]

    assert [result.history_available for result in results] == [True, False]
    assert "belongs to another user" in caplog.text


async def test_an_unknown_owner_costs_the_history_and_no_answer() -> None:
    """If the store cannot decide, nothing is loaded and nothing saved; both are counted."""
    metrics, store = RecordingMetrics(), BrokenStore()
    model = ScriptedChatModel(["answer"])
    application = Application(register=[model, store, metrics], plugins=False)

    async with application as app:
        result = await app.execute(command())

    assert (result.content, result.history_available) == ("answer", False)
    assert list(model.requests[0].messages) == [UserMessage("question")]
    assert not store._sessions
    assert metrics.faults == [FaultSource.HISTORY_LOAD, FaultSource.HISTORY_SAVE]


@pytest.mark.parametrize(
    ("on_failure", "partial", "kept"),
    [
        (OnFailure.NOTHING, "half", []),
        (OnFailure.USER, "half", [UserMessage("question")]),
        (OnFailure.PARTIAL, "half", [UserMessage("question"), AssistantMessage("half")]),
        (OnFailure.PARTIAL, " ", [UserMessage("question")]),
        (OnFailure.PARTIAL, None, [UserMessage("question")]),
    ],
)
async def test_what_is_kept_of_a_failure(
    on_failure: OnFailure, partial: str | None, kept: list[Message]
) -> None:
    """`conversation.on_failure` decides."""
    store = InMemoryConversationStore()
    failure = AgentResult(success=False, error_code=AgentErrorCode.TIMEOUT, partial_content=partial)

    await manager(store, on_failure=on_failure).save_history(command(), failure)

    assert await stored(store) == kept


TOOL_TURN = (
    AssistantMessage("", (ToolCall("c1", "look", "{}"),), (Reasoning("hm", "signed"),)),
    ToolResultMessage((ToolResult("c1", "look", "seen"),)),
)
WITH_CALLS = AgentResult(
    success=True,
    content="answer",
    run_id="r",
    messages=(UserMessage("[Retrieved Context]\nx\n\nquestion"), *TOOL_TURN, PAIR[1]),
)


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("keeps", [False, True])
async def test_tool_calls_are_kept_if_they_are_wanted(*, keeps: bool, is_stream: bool) -> None:
    """With reasoning; retrieved documents are not, they belong to one run."""
    store = InMemoryConversationStore()
    memory = manager(store, keep_tool_calls=keeps)

    if is_stream:
        await memory.save_streaming_history(command(), "answer", result=WITH_CALLS)
    else:
        await memory.save_history(command(), WITH_CALLS)

    assert await stored(store) == ([PAIR[0], *TOOL_TURN, PAIR[1]] if keeps else PAIR)


@pytest.mark.parametrize("messages", [(), (UserMessage("question"),), tuple(PAIR)])
async def test_a_run_without_tool_calls_is_a_pair(messages: tuple[Message, ...]) -> None:
    """Also if its result does not tell its messages."""
    store = InMemoryConversationStore()
    result = AgentResult(success=True, content="answer", messages=messages)

    await manager(store, keep_tool_calls=True).save_history(command(), result)

    assert await stored(store) == PAIR


async def test_a_failed_run_keeps_no_tool_calls() -> None:
    """One without its result would be refused by vendors from then on."""
    store = InMemoryConversationStore()
    memory = manager(store, keep_tool_calls=True, on_failure=OnFailure.PARTIAL)
    failure = replace(
        WITH_CALLS, success=False, partial_content="half", messages=WITH_CALLS.messages[:2]
    )

    await memory.save_history(command(), failure)

    assert await stored(store) == [PAIR[0], AssistantMessage("half")]


async def test_a_run_is_kept_once_whichever_way_it_is_saved() -> None:
    """By its id."""
    store = InMemoryConversationStore()
    memory, result = manager(store), AgentResult(success=True, content="answer", run_id="r")

    await memory.save_history(command(), result)
    await memory.save_streaming_history(command(), "answer", result=result)

    assert await stored(store) == PAIR


async def test_attachments_of_the_question_are_kept() -> None:
    """Up to `conversation.max_attachment_bytes`; of a larger one a line is."""
    store = InMemoryConversationStore()
    small, large = (Attachment("image/png", data=bytes(size), name="a.png") for size in (4, 5))
    asked = command().model_copy(update={"attachments": (small, large)})

    await manager(store, max_attachment_bytes=4).save_history(asked, ANSWER)

    line = Text("\n[Attachment that was not kept: a.png, image/png, 5 bytes]")
    assert await stored(store) == [UserMessage((Text("question"), small, line)), PAIR[1]]


@pytest.mark.parametrize(
    ("trim", "sizes"),
    [(Trim.STEPS, [0, 1, 2, 3, 4, 3, 4, 3, 4]), (Trim.EXACT, [0, 1, 2, 3, 4, 4, 4, 4, 4])],
)
async def test_turns_leave_in_steps(trim: Trim, sizes: list[int]) -> None:
    """Half a window at once, so that histories begin alike; with `exact` one by one."""
    store = InMemoryConversationStore()
    memory = manager(store, max_turns=4, trim=trim)
    found = []

    for _ in sizes:
        found.append(len(await memory.load_history(command())) // 2)
        await memory.save_history(command(), ANSWER)

    assert found == sizes


@pytest.mark.parametrize(("max_turns", "step"), [(0, 1), (1, 1), (2, 1), (3, 1), (5, 2), (10, 5)])
def test_a_step_is_half_a_window(max_turns: int, step: int) -> None:
    """At least one turn."""
    assert HistorySettings(max_turns=max_turns).step == step


class EarlierManager(WindowConversationManager):
    """Was written before a streamed answer came with its result."""

    async def save_streaming_history(  # type: ignore[override]
        self, command: AgentCommand, content: str
    ) -> None:
        await super().save_streaming_history(command, content)


async def test_a_manager_of_before_works_in_an_application() -> None:
    """It is wired, and keeps what is streamed."""
    store = InMemoryConversationStore()
    earlier = EarlierManager(store=store, settings=HistorySettings(), logger=get_logger("test"))
    application = Application(register=[ScriptedChatModel(["answer"]), earlier], plugins=False)

    async with application as app:
        pieces = [piece async for piece in app.execute_stream(command())]

    assert "".join(pieces) == "answer"
    assert await stored(store) == PAIR
