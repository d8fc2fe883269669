"""The end of a run: its result, and who is told of it in which order."""

import logging
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentMetrics,
    AgentResult,
    ErrorMessageResolver,
    Hook,
    HookContext,
    ModelError,
    ResponseFilter,
    ResponseFilterChain,
    ResponseFilterContext,
    RunRecord,
    TokenUsage,
    ToolCall,
    tool,
)
from arc_core.testing import (
    BrokenOff,
    ListConversationManager,
    RecordingHook,
    ScriptedChatModel,
    scripted_agent,
)
from tests.arc_core.engine.entry_points import executed, list_texts, streamed

COMMAND = AgentCommand(user_prompt="Hello", user_id="ann")


@tool
async def look() -> str:
    """Looks."""
    return "seen"


class Diary:
    """What happened at the end of a run, in order."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, Any]] = []

    def note(self, what: str, value: object = None) -> None:
        """Write down."""
        self.entries.append((what, value))


class NotingManager(ListConversationManager):
    """Notes what is saved."""

    def __init__(self, diary: Diary) -> None:
        super().__init__()
        self._diary = diary

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        self._diary.note("save", result.content)

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        self._diary.note("save", content)


class NotingHook(Hook):
    """Notes the end."""

    def __init__(self, diary: Diary) -> None:
        self._diary = diary

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        self._diary.note("hook", response.content)


class NotingMetrics(AgentMetrics):
    """Notes the run."""

    def __init__(self, diary: Diary) -> None:
        self._diary = diary

    def record_run(self, record: RunRecord) -> None:
        self._diary.note("metrics", record.error_code)


class Shouting(ResponseFilter):
    """Changes the answer, and notes that it did."""

    def __init__(self, diary: Diary) -> None:
        self._diary = diary

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        self._diary.note("filter")
        return content.upper()


@pytest.mark.parametrize(
    ("entry_point", "entries"),
    [
        (executed, [("filter", None), ("save", "HI."), ("hook", "HI."), ("metrics", None)]),
        (streamed, [("save", "Hi."), ("hook", "Hi."), ("metrics", None)]),
    ],
)
async def test_the_end_has_an_order(entry_point: Any, entries: list[Any]) -> None:
    """Filters, save, hooks, metrics, return: hooks and history get what the caller gets."""
    diary = Diary()
    agent = scripted_agent(
        ScriptedChatModel(["Hi."]),
        conversation_manager=NotingManager(diary),
        hooks=(NotingHook(diary),),
        agent_metrics=NotingMetrics(diary),
        response_filter_chain=ResponseFilterChain((Shouting(diary),)),
    )

    result = await entry_point(agent, COMMAND)

    assert diary.entries == entries
    assert result.content == entries[-2][1]


@pytest.mark.parametrize("entry_point", [executed, streamed])
async def test_a_success_says_what_happened(entry_point: Any) -> None:
    """In every field, and hooks are told what the caller gets."""
    hook = RecordingHook()
    model = ScriptedChatModel([[ToolCall("1", "look", "{}")], "Hi."])

    result = await entry_point(scripted_agent(model, tools=(look,), hooks=(hook,)), COMMAND)

    assert (result.success, result.content, result.tools_used) == (True, "Hi.", ("look",))
    assert result.token_usage == TokenUsage(20, 10)
    assert (result.error_code, result.error_message, result.partial_content) == (None, None, None)
    assert result.duration_ms > 0
    assert hook.response is result


@pytest.mark.parametrize("entry_point", [executed, streamed])
async def test_a_failure_says_what_happened(entry_point: Any) -> None:
    """The code, the resolver's text, and all that had been done by then."""
    hook = RecordingHook()
    model = ScriptedChatModel([[ToolCall("1", "look", "{}")], ModelError("password=hunter2")])

    result = await entry_point(scripted_agent(model, tools=(look,), hooks=(hook,)), COMMAND)

    assert (result.success, result.content, result.tools_used) == (False, None, ("look",))
    assert result.error_code is AgentErrorCode.UNKNOWN
    assert result.error_message == "It ended with UNKNOWN."
    assert result.token_usage == TokenUsage(10, 5)
    response = hook.response
    assert (response.error_code, response.error_message) == (
        AgentErrorCode.UNKNOWN,
        "It ended with UNKNOWN.",
    )
    assert (response.tools_used, response.token_usage) == (("look",), TokenUsage(10, 5))


async def test_what_was_handed_out_is_kept_for_hook_and_caller() -> None:
    """The text of all turns, up to the failure."""
    hook = RecordingHook()
    model = ScriptedChatModel([BrokenOff("Half an ans", ModelError())])

    result = await streamed(scripted_agent(model, hooks=(hook,)), COMMAND)

    assert (result.content, result.partial_content) == (None, "Half an ans")
    assert hook.response.partial_content == "Half an ans"


class BrokenResolver(ErrorMessageResolver):
    """Has no words."""

    def resolve(self, code: AgentErrorCode) -> str:
        raise KeyError("password=hunter2")


async def test_a_resolver_without_words_does_not_hide_the_failure() -> None:
    """The code speaks for itself."""
    agent = scripted_agent(
        ScriptedChatModel([ModelError()]), error_message_resolver=BrokenResolver()
    )

    result = await agent.execute(COMMAND)

    assert (result.error_code, result.error_message) == (AgentErrorCode.UNKNOWN, "UNKNOWN")


@pytest.mark.parametrize("entry_point", [executed, list_texts])
async def test_the_details_of_a_failure_are_logged(
    entry_point: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """At ERROR, with its words, code and the run's ids; the traceback at DEBUG."""
    caplog.set_level(logging.DEBUG, "arc")
    hook = RecordingHook()
    agent = scripted_agent(ScriptedChatModel([ModelError("what went wrong")]), hooks=(hook,))

    await entry_point(agent, COMMAND)

    (record,) = (record for record in caplog.records if record.levelno == logging.ERROR)
    facts = vars(record)
    assert (facts["error"], record.exc_info) == ("what went wrong", None)
    assert (facts["code"], facts["user_id"]) == ("UNKNOWN", "ann")
    assert {each.levelno for each in caplog.records if each.exc_info} == {logging.DEBUG}
    assert facts["run_id"] == getattr(hook.calls[0][1], "run_id", None)


async def test_a_failure_that_was_not_translated_keeps_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is a fault of a program, and the traceback says where."""
    await scripted_agent(ScriptedChatModel([RuntimeError("a fault")])).execute(COMMAND)

    (record,) = (record for record in caplog.records if record.levelno == logging.ERROR)
    assert record.exc_info is not None


async def test_stopping_on_purpose_is_not_an_error(caplog: pytest.LogCaptureFixture) -> None:
    """A blank answer, a rejection, a refusal: the code at INFO, no traceback."""
    caplog.set_level(logging.INFO, "arc")

    await scripted_agent(ScriptedChatModel([""])).execute(COMMAND)

    (record,) = caplog.records
    assert (record.levelno, record.getMessage()) == (logging.INFO, "run stopped")
    assert vars(record)["code"] == "INVALID_RESPONSE"
    assert record.exc_info is None
