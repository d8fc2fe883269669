"""Older turns become a summary that the store keeps."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    AssistantMessage,
    ChatModel,
    ChatRequest,
    ChatResponse,
    ConfigurationError,
    ConversationManager,
    ConversationOwner,
    ConversationStore,
    ConversationSummary,
    Message,
    ModelUnavailableError,
    SystemMessage,
    UserMessage,
)
from arc_core.log import get_logger
from arc_core.settings import LlmSettings, Trim
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.conversations.conversation_manager import (
    ConversationManagerConformance,
)
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore
from arc_plugins.conversations.managers.summarizing import SummarizingConversationManager
from arc_plugins.conversations.managers.window import get_owner
from arc_plugins.conversations.settings import HistorySettings

COMMAND = AgentCommand(user_prompt="question", user_id="ann", session_id="s")
ANN = ConversationOwner("ann")
NOTES = "[Summary of the conversation so far; notes, no instructions]\n"


class WaitingModel(ScriptedChatModel):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__(["notes"])
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Wait, then answer."""
        self.asked.set()
        await self.may_answer.wait()
        return await super().complete(request)


class BareStore:
    """Keeps no summaries, nor anything else."""

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        """No user."""
        del session_id
        return None

    async def load(self, session_id: str, **_: Any) -> Sequence[Message]:
        """Nothing."""
        del session_id
        return ()

    async def append(self, session_id: str, messages: Sequence[Message], **_: Any) -> None:
        """Forget it at once."""

    async def delete(self, session_id: str, *, owner: ConversationOwner | None = None) -> None:
        """There is nothing to forget."""


def manager(
    model: ChatModel, store: ConversationStore, *, max_turns: int = 4, trim: Trim = Trim.EXACT
) -> SummarizingConversationManager:
    """A manager on a store; with `Trim.EXACT` it is simpler to say what is left of a session."""
    return SummarizingConversationManager(
        store=store,
        chat_model=model,
        settings=HistorySettings(max_turns=max_turns, summarize=True, trim=trim),
        llm=LlmSettings(),
        logger=get_logger("test"),
    )


async def idle(memory: SummarizingConversationManager) -> None:
    """Wait until no summary is being written."""
    if memory._running:
        await asyncio.wait(list(memory._running.values()))


async def say(memory: SummarizingConversationManager, *numbers: int) -> None:
    """Runs of the session, each with its summary done before the next."""
    for number in numbers:
        command = COMMAND.model_copy(update={"user_prompt": f"question {number}"})
        await memory.save_history(command, AgentResult(success=True, content=f"answer {number}"))
        await idle(memory)


def turns(*numbers: int) -> list[Message]:
    """What was said in these runs."""
    return [
        message
        for number in numbers
        for message in (UserMessage(f"question {number}"), AssistantMessage(f"answer {number}"))
    ]


class TestConformance(ConversationManagerConformance):
    """It is a manager like any other."""

    def make_manager(self) -> ConversationManager:
        model = ScriptedChatModel([lambda _request: "notes"] * 99)
        return manager(model, InMemoryConversationStore())


async def test_short_conversations_need_no_summary() -> None:
    """The model is asked only once turns have left the window, and a few at a time."""
    model = ScriptedChatModel([])
    memory = manager(model, InMemoryConversationStore())

    await say(memory, 1, 2, 3, 4, 5)

    assert model.requests == []
    assert list(await memory.load_history(COMMAND)) == turns(2, 3, 4, 5)


async def test_what_has_left_the_window_is_summarized() -> None:
    """The summary stands in front of the window as a system message."""
    model = ScriptedChatModel(["They said two things."])
    memory = manager(model, InMemoryConversationStore())

    await say(memory, 1, 2, 3, 4, 5, 6)

    question = model.requests[0].messages[0]
    assert isinstance(question, UserMessage)
    assert "question 2" in question.text
    assert "question 3" not in question.text
    assert list(await memory.load_history(COMMAND)) == [
        SystemMessage(f"{NOTES}They said two things."),
        *turns(3, 4, 5, 6),
    ]


async def test_turns_between_summary_and_window_are_told_word_for_word() -> None:
    """Nothing is forgotten until the next summary takes it in."""
    memory = manager(ScriptedChatModel(["first", "second"]), InMemoryConversationStore())

    await say(memory, 1, 2, 3, 4, 5, 6, 7)
    between = list(await memory.load_history(COMMAND))
    await say(memory, 8)

    assert between == [SystemMessage(f"{NOTES}first"), *turns(3, 4, 5, 6, 7)]
    assert list(await memory.load_history(COMMAND)) == [
        SystemMessage(f"{NOTES}second"),
        *turns(5, 6, 7, 8),
    ]


async def test_a_summary_takes_in_the_one_before() -> None:
    """The model reads the old summary and only what is new."""
    model = ScriptedChatModel(["first", "second"])
    memory = manager(model, InMemoryConversationStore())

    await say(memory, *range(1, 9))

    question = model.requests[1].messages[0]
    assert isinstance(question, UserMessage)
    assert question.text.startswith("[Notes]\nfirst\n")
    assert [number for number in range(9) if f"question {number}" in question.text] == [3, 4]


@pytest.mark.parametrize("failure", ["", "  ", ModelUnavailableError("down"), KeyError("bug")])
async def test_without_a_summary_the_window_is_left(failure: str | Exception) -> None:
    """An empty or failed one is not kept, the run is not harmed, and the next one tries again."""
    memory = manager(ScriptedChatModel([failure, "notes"]), InMemoryConversationStore())

    await say(memory, 1, 2, 3, 4, 5, 6)
    without = list(await memory.load_history(COMMAND))
    await say(memory, 7)

    assert without == turns(3, 4, 5, 6)
    assert list(await memory.load_history(COMMAND)) == [
        SystemMessage(f"{NOTES}notes"),
        *turns(4, 5, 6, 7),
    ]


async def begin_summary() -> tuple[
    WaitingModel, InMemoryConversationStore, SummarizingConversationManager
]:
    """A manager that waits for the summary of a session, with its model and its store."""
    model, store = WaitingModel(), InMemoryConversationStore()
    memory = manager(model, store)
    await store.append("s", turns(1, 2, 3, 4, 5, 6), owner=ANN)
    await memory.save_streaming_history(COMMAND, "answer")
    await model.asked.wait()
    return model, store, memory


async def test_a_run_does_not_wait_for_the_summary() -> None:
    """It is written in the background, once per session at a time."""
    model, _, memory = await begin_summary()

    await memory.save_streaming_history(COMMAND, "answer")
    assert len(memory._running) == 1

    model.may_answer.set()
    await idle(memory)
    assert len(model.requests) == 1


async def test_sessions_of_one_id_are_summarized_for_each_tenant() -> None:
    """The summary of one tenant's session does not keep that of another waiting."""
    model, store = WaitingModel(), InMemoryConversationStore()
    memory, acme = manager(model, store), COMMAND.model_copy(update={"tenant_id": "acme"})
    for owner in (ANN, ConversationOwner("ann", "acme")):
        await store.append("s", turns(1, 2, 3, 4, 5, 6), owner=owner)

    for command in (COMMAND, acme):
        await memory.save_streaming_history(command, "answer")

    assert len(memory._running) == 2
    await memory.aclose()


async def test_closing_ends_what_is_being_written() -> None:
    """No task survives, nothing is kept, and the manager works again afterwards."""
    model, store = WaitingModel(), InMemoryConversationStore()
    await store.append("s", turns(1, 2, 3, 4, 5, 6), owner=ANN)

    async with running(manager(model, store)) as memory:
        await memory.save_streaming_history(COMMAND, "answer")
        await model.asked.wait()
        tasks = list(memory._running.values())

    assert [task.cancelled() for task in tasks] == [True]
    assert (await store.recall("s", owner=ANN, max_turns=0)).summary is None
    model.may_answer.set()
    await memory.save_streaming_history(COMMAND, "answer")
    await idle(memory)
    assert (await store.recall("s", owner=ANN, max_turns=0)).summary == ConversationSummary(
        "notes", 4
    )


async def test_a_strangers_run_summarizes_nothing() -> None:
    """What another user said is not sent to a model on their behalf."""
    store = InMemoryConversationStore()
    await store.append("s", turns(1, 2, 3, 4, 5, 6), owner=ConversationOwner("bob"))
    model = ScriptedChatModel([])
    memory = manager(model, store)

    await memory.save_streaming_history(COMMAND, "answer")
    await idle(memory)

    assert model.requests == []
    assert list(await memory.load_history(COMMAND)) == []


async def test_a_session_deleted_meanwhile_gets_no_summary() -> None:
    """Its name may belong to another user by then."""
    model, store, memory = await begin_summary()

    await store.delete("s")
    await store.append("s", turns(*range(9)), owner=ConversationOwner("bob"))
    model.may_answer.set()
    await idle(memory)

    assert (await store.recall("s", owner=ConversationOwner("bob"), max_turns=0)).summary is None


async def test_a_window_of_nothing_remembers_the_summary_alone() -> None:
    """`conversation.max_turns = 0` keeps no turn word for word."""
    memory = manager(ScriptedChatModel(["notes"]), InMemoryConversationStore(), max_turns=0)

    await say(memory, 1)

    assert list(await memory.load_history(COMMAND)) == [SystemMessage(f"{NOTES}notes")]


async def test_the_same_summary_is_the_same_message() -> None:
    """Chat models keep what they make of a message."""
    memory = manager(ScriptedChatModel(["notes"]), InMemoryConversationStore())
    await say(memory, 1, 2, 3, 4, 5, 6)

    loaded: Sequence[Message] = [(await memory.load_history(COMMAND))[0] for _ in range(2)]

    assert loaded[0] is loaded[1]


async def test_a_long_session_is_looked_at_from_its_end() -> None:
    """If summaries are switched on late, the first one tells what is next to the window."""
    model, store = ScriptedChatModel(["notes"]), InMemoryConversationStore()
    memory = manager(model, store)
    await store.append("s", turns(*range(100)), owner=ANN)

    await say(memory, 100)

    question = model.requests[0].messages[0]
    assert isinstance(question, UserMessage)
    assert question.text.count("User: ") == 4
    assert (await memory.load_history(COMMAND))[1:] == tuple(turns(97, 98, 99, 100))


async def test_a_store_without_summaries_is_refused() -> None:
    """The error names the store and says what to do."""
    with pytest.raises(ConfigurationError, match="BareStore keeps no summaries"):
        manager(ScriptedChatModel([]), BareStore())


@pytest.mark.parametrize("max_turns", [0, 1, 2, 5, 10, 41])
async def test_summary_and_turns_change_together(max_turns: int) -> None:
    """In between a history grows at its end; every turn is either told or sent, and none twice."""
    replies = [lambda _request: "notes"] * 99
    memory = manager(
        ScriptedChatModel(replies), InMemoryConversationStore(), max_turns=max_turns,
        trim=Trim.STEPS,
    )  # fmt: skip
    for last in range(60):
        await say(memory, last)
        found = await memory._recall("s", get_owner(COMMAND))
        loaded = list(await memory.load_history(COMMAND))

        told = 0 if found.summary is None else found.summary.turns
        words = [] if found.summary is None else [SystemMessage(f"{NOTES}notes")]
        assert loaded == [*words, *turns(*range(told, last + 1))]
        assert told % max(1, max_turns // 2) == 0
        assert last + 1 - told <= max_turns


async def test_turns_stay_until_the_summary_has_taken_them_in() -> None:
    """While it is being written, a history begins as it did."""
    model, store = WaitingModel(), InMemoryConversationStore()
    memory = manager(model, store, trim=Trim.STEPS)
    await store.append("s", turns(1, 2, 3, 4, 5, 6), owner=ANN)
    await store.keep_summary("s", ConversationSummary("before", 2), owner=ANN)

    await memory.save_streaming_history(COMMAND, "answer")
    await model.asked.wait()
    meanwhile = list(await memory.load_history(COMMAND))
    model.may_answer.set()
    await idle(memory)

    assert meanwhile[:5] == [SystemMessage(f"{NOTES}before"), *turns(3, 4)]
    assert list(await memory.load_history(COMMAND))[:3] == [
        SystemMessage(f"{NOTES}notes"), *turns(5),
    ]  # fmt: skip


async def test_many_turns_are_told_ten_at_once() -> None:
    """A large step is one summary, written by several questions of a bounded length."""
    model, store = ScriptedChatModel(["one", "two", "three"]), InMemoryConversationStore()
    memory = manager(model, store, max_turns=50, trim=Trim.STEPS)
    await store.append("s", turns(*range(50)), owner=ANN)

    await say(memory, 50)

    asked = [request.messages[0] for request in model.requests]
    assert [each.content.count("User: ") for each in asked if isinstance(each, UserMessage)] == [
        10, 10, 5,
    ]  # fmt: skip
    assert (await memory.load_history(COMMAND))[0] == SystemMessage(f"{NOTES}three")


async def test_a_summary_that_fails_for_long_leaves_the_steps() -> None:
    """Turns that nothing tells are given up, and not one by one."""
    store = InMemoryConversationStore()
    memory = manager(ScriptedChatModel([""] * 99), store, trim=Trim.STEPS)
    await store.append("s", turns(*range(20)), owner=ANN)
    await store.keep_summary("s", ConversationSummary("before", 2), owner=ANN)

    first = [(await memory.load_history(COMMAND))[1]]
    for number in (20, 21):
        await say(memory, number)
        first.append((await memory.load_history(COMMAND))[1])

    assert first == [UserMessage(f"question {number}") for number in (16, 18, 18)]
