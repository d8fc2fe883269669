"""What a run remembers, what is kept of it, and that neither costs an answer."""

from collections.abc import Sequence
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AssistantMessage,
    AuthenticationError,
    FaultSource,
    Message,
    RefusedHistory,
    Rejected,
    RejectionCategory,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.settings import AgentSettings, ConversationSettings, OnFailure
from arc_core.testing import (
    BrokenOff,
    ListConversationManager,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from tests.arc_core.engine.entry_points import EVERY_ENTRY_POINT, EntryPoint, executed, list_texts
from tests.parity.components import AnsweringGuard, BrokenConversationManager

QUESTION = UserMessage("Hello")
EARLIER = (UserMessage("Before"), AssistantMessage("Indeed."))
COMMAND = AgentCommand(user_prompt="Hello", session_id="s")


class Synchronous(ListConversationManager):
    """Raises before there is anything to await, as a method without `async` does."""

    def save_history(self, command: AgentCommand, result: AgentResult) -> Any:
        raise OSError("disk full")

    def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> Any:
        raise OSError("disk full")


class Queue(ListConversationManager):
    """Gives its messages one after the other."""

    async def load_history(self, command: AgentCommand) -> Any:
        return iter(self.messages)


class Nothing(ListConversationManager):
    """Returns no messages, not even none."""

    async def load_history(self, command: AgentCommand) -> Any:
        return None


def keeping(on_failure: OnFailure) -> AgentSettings:
    """Settings that keep so much of a failed run."""
    return AgentSettings(conversation=ConversationSettings(on_failure=on_failure))


@EVERY_ENTRY_POINT
async def test_a_run_remembers_and_is_kept(entry_point: EntryPoint) -> None:
    """The model reads what was said before; question and answer are appended."""
    manager, model = ListConversationManager(EARLIER), ScriptedChatModel(["Hi."])
    agent = scripted_agent(model, conversation_manager=manager)

    await entry_point(agent, COMMAND)

    assert model.requests[0].messages == (*EARLIER, QUESTION)
    assert manager.messages == [*EARLIER, QUESTION, AssistantMessage("Hi.")]


class Noting(ListConversationManager):
    """Notes which of its methods keeps a run."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[tuple[str, object]] = []

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        self.kept.append(("save_history", result.content))

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        self.kept.append(("save_streaming_history", content))


@pytest.mark.parametrize(
    ("entry_point", "method"),
    [(executed, "save_history"), (list_texts, "save_streaming_history")],
    ids=["execute", "stream"],
)
async def test_each_entry_point_has_its_own_way_of_saving(
    entry_point: EntryPoint, method: str
) -> None:
    """Both keep the answer, once."""
    manager = Noting()

    await entry_point(
        scripted_agent(ScriptedChatModel(["Hi."]), conversation_manager=manager), COMMAND
    )

    assert manager.kept == [(method, "Hi.")]


class Telling(ListConversationManager):
    """Takes the result of a stream."""

    run_id = ""

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        self.run_id = result.run_id if result is not None else ""


class Taking(ListConversationManager):
    """Takes whatever it is given, as wrappers do."""

    run_id = ""

    async def save_streaming_history(self, command: AgentCommand, *args: Any, **more: Any) -> None:
        self.run_id = more["result"].run_id


@pytest.mark.parametrize("manager", [Telling(), Taking()])
async def test_a_manager_that_takes_the_result_of_a_stream_gets_it(
    manager: Telling | Taking,
) -> None:
    """By its run id a store knows a run again."""
    agent = scripted_agent(ScriptedChatModel(["Hi."]), conversation_manager=manager)

    await list_texts(agent, COMMAND)

    assert manager.run_id


class Earlier(ListConversationManager):
    """Was written before streams had a result."""

    async def save_streaming_history(  # type: ignore[override]
        self, command: AgentCommand, content: str
    ) -> None:
        await super().save_streaming_history(command, content)


async def test_a_manager_that_does_not_take_the_result_goes_on_working() -> None:
    """It is called without."""
    manager = Earlier()
    agent = scripted_agent(ScriptedChatModel(["Hi."]), conversation_manager=manager)

    await list_texts(agent, COMMAND)

    assert manager.messages == [QUESTION, AssistantMessage("Hi.")]


@EVERY_ENTRY_POINT
async def test_given_history_wins(entry_point: EntryPoint) -> None:
    """With `conversation_history` the store is not read."""
    model, metrics = ScriptedChatModel(["Hi."]), RecordingMetrics()
    agent = scripted_agent(
        model, conversation_manager=BrokenConversationManager(), agent_metrics=metrics
    )

    await entry_point(agent, COMMAND.model_copy(update={"conversation_history": EARLIER}))

    assert model.requests[0].messages == (*EARLIER, QUESTION)
    assert FaultSource.HISTORY_LOAD not in metrics.faults


@EVERY_ENTRY_POINT
@pytest.mark.parametrize(
    "manager", [BrokenConversationManager(), Nothing()], ids=["raises", "gives nothing"]
)
async def test_a_run_goes_on_without_its_history(
    entry_point: EntryPoint, manager: ListConversationManager
) -> None:
    """What cannot be loaded is logged, counted and noted, and the model is asked without it."""
    model, metrics = ScriptedChatModel(["Hi."]), RecordingMetrics()
    agent = scripted_agent(model, conversation_manager=manager, agent_metrics=metrics)

    await entry_point(agent, COMMAND)

    assert model.requests[0].messages == (QUESTION,)
    assert metrics.faults[0] is FaultSource.HISTORY_LOAD


async def test_missing_history_is_told_in_the_metadata() -> None:
    """A caller may want to know that the answer was given without memory."""
    agent = scripted_agent(
        ScriptedChatModel(["Hi."]), conversation_manager=BrokenConversationManager()
    )

    result = await agent.execute(COMMAND)

    assert result.history_available is False


class RefusingManager(ListConversationManager):
    """Has the session of another user."""

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        return RefusedHistory()


async def test_the_refused_history_of_another_users_session_is_told() -> None:
    """It is not available, and no failure of the manager; an empty history is available."""
    metrics, refusing = RecordingMetrics(), RefusingManager()
    agents = [
        scripted_agent(ScriptedChatModel(["Hi."]), conversation_manager=each, agent_metrics=metrics)
        for each in (refusing, ListConversationManager())
    ]

    results = [await agent.execute(COMMAND) for agent in agents]

    assert [each.history_available for each in results] == [False, True]
    assert metrics.faults == []


async def test_history_may_be_any_sequence() -> None:
    """A manager may return what can be gone through once, tool calls and all."""
    model = ScriptedChatModel(["Hi."])
    history = (
        AssistantMessage("", (ToolCall("1", "look", "{}"),)),
        ToolResultMessage((ToolResult("1", "look", "Nothing."),)),
    )

    await scripted_agent(model, conversation_manager=Queue(history)).execute(COMMAND)

    assert model.requests[0].messages == (*history, QUESTION)


@EVERY_ENTRY_POINT
@pytest.mark.parametrize(
    "manager", [BrokenConversationManager(), Synchronous()], ids=["raises", "raises at once"]
)
async def test_a_failure_to_save_costs_nothing(
    entry_point: EntryPoint, manager: ListConversationManager
) -> None:
    """It is logged and counted, and a good answer stays good."""
    metrics = RecordingMetrics()
    agent = scripted_agent(
        ScriptedChatModel(["Hi."]), conversation_manager=manager, agent_metrics=metrics
    )

    await entry_point(agent, COMMAND)

    assert [record.error_code for record in metrics.runs] == [None]
    assert metrics.faults[-1] is FaultSource.HISTORY_SAVE


@pytest.mark.parametrize("entry_point", [executed, list_texts])
@pytest.mark.parametrize(
    ("on_failure", "kept"),
    [
        (OnFailure.NOTHING, []),
        (OnFailure.USER, ["user_prompt"]),
        (OnFailure.PARTIAL, ["user_prompt"]),
    ],
)
async def test_of_a_failed_run_is_kept_what_the_setting_says(
    entry_point: EntryPoint, on_failure: OnFailure, kept: list[str]
) -> None:
    """`conversation.on_failure` decides, for both entry points alike."""
    manager = ListConversationManager()
    agent = scripted_agent(
        ScriptedChatModel([AuthenticationError()]),
        keeping(on_failure),
        conversation_manager=manager,
    )

    await entry_point(agent, COMMAND)

    assert manager.messages == [QUESTION] * len(kept)


async def test_what_was_handed_out_before_a_failure_can_be_kept() -> None:
    """With `partial` the manager gets the result with its partial content."""
    manager = ListConversationManager()
    model = ScriptedChatModel([BrokenOff("Half an ans", AuthenticationError())])
    agent = scripted_agent(model, keeping(OnFailure.PARTIAL), conversation_manager=manager)

    await list_texts(agent, COMMAND)

    assert manager.messages == [QUESTION, AssistantMessage("Half an ans")]


@EVERY_ENTRY_POINT
async def test_a_run_that_was_not_let_in_is_never_kept(entry_point: EntryPoint) -> None:
    """What a guard kept out does not come back as history."""
    manager = ListConversationManager()
    rejecting = AnsweringGuard(Rejected("No.", RejectionCategory.PROMPT_INJECTION))
    agent = scripted_agent(
        ScriptedChatModel([]),
        keeping(OnFailure.USER),
        guards=(rejecting,),
        conversation_manager=manager,
    )

    await entry_point(agent, COMMAND)

    assert manager.messages == []


async def test_a_failure_to_save_does_not_mask_the_failure_of_the_run() -> None:
    """The result tells what went wrong first."""
    agent = scripted_agent(
        ScriptedChatModel([AuthenticationError()]),
        keeping(OnFailure.USER),
        conversation_manager=BrokenConversationManager(),
    )

    assert (await agent.execute(COMMAND)).error_code is AgentErrorCode.AUTHENTICATION
