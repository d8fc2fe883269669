"""Output guards: in order, fail-closed, before anything a model says reaches anyone."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentExecutor,
    AgentResult,
    Allowed,
    AssistantMessage,
    ConfigurationError,
    FaultSource,
    OutputGuard,
    Reasoning,
    Rejected,
    RejectionCategory,
    ResponseFilter,
    ResponseFilterChain,
    ResponseFormat,
    RunFinished,
    ToolCall,
    UserMessage,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings
from arc_core.testing import (
    ListConversationManager,
    RecordingHook,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from tests.arc_core.engine.caching_agents import caching_agent, question
from tests.arc_core.engine.entry_points import EVERY_ENTRY_POINT, EntryPoint, executed, streamed
from tests.arc_core.engine.output_guarding import SECRET, Answering, Masking, Rejecting

COMMAND = AgentCommand(user_prompt="Hello", user_id="ann", session_id="s", tenant_id="acme")
SAME_QUESTION = question(conversation_history=(UserMessage("Hello"), AssistantMessage("Hi.")))
BOTH = pytest.mark.parametrize("entry_point", [executed, streamed])


def agent_with(
    *guards: OutputGuard, turns: Sequence[Any] = (f"It is {SECRET}.",), **more: Any
) -> ReActAgentExecutor:
    """An agent that would say the secret."""
    return scripted_agent(ScriptedChatModel(turns), output_guards=guards, **more)


@BOTH
async def test_a_replaced_text_is_all_that_leaves(entry_point: EntryPoint) -> None:
    """Result, hook, messages and history have it, and none has the secret."""
    hook, kept = RecordingHook(), ListConversationManager()
    agent = agent_with(Masking(), hooks=[hook], conversation_manager=kept)

    result = await entry_point(agent, COMMAND)

    assert isinstance(result, AgentResult)
    assert result.content == hook.response.content == "It is [key]."
    assert kept.messages[-1] == result.messages[-1] == AssistantMessage("It is [key].")


@BOTH
@pytest.mark.parametrize("blank", ["", " \n"])
async def test_a_guard_that_leaves_nothing_of_an_answer_fails_it(
    entry_point: EntryPoint, blank: str
) -> None:
    """A blank answer is a failure, whatever left it blank."""
    result = await entry_point(agent_with(Answering(Allowed(blank))), COMMAND)

    assert getattr(result, "error_code", None) is AgentErrorCode.INVALID_RESPONSE


@BOTH
async def test_a_reason_that_is_not_a_text_is_not_shown(entry_point: EntryPoint) -> None:
    """The person reads the general message."""
    odd: Any = Rejected(5, RejectionCategory.SENSITIVE_DATA)  # type: ignore[arg-type]
    plain = Rejected("", RejectionCategory.SENSITIVE_DATA)

    found, expected = [
        await entry_point(agent_with(Answering(each)), COMMAND) for each in (odd, plain)
    ]

    assert getattr(found, "error_code", None) is AgentErrorCode.OUTPUT_REJECTED
    assert getattr(found, "error_message", 5) == getattr(expected, "error_message", 6)


@EVERY_ENTRY_POINT
async def test_nothing_of_a_rejected_answer_is_seen(
    entry_point: EntryPoint, caplog: pytest.LogCaptureFixture
) -> None:
    """Not by readers, hooks, metrics, history or the log."""
    hook, metrics, kept = RecordingHook(), RecordingMetrics(), ListConversationManager()
    settings = AgentSettings.model_validate({"conversation": {"on_failure": "partial"}})
    agent = scripted_agent(
        ScriptedChatModel([f"It is {SECRET}."]),
        settings,
        output_guards=[Rejecting()],
        hooks=[hook],
        agent_metrics=metrics,
        conversation_manager=kept,
    )
    caplog.set_level("DEBUG")

    seen = await entry_point(agent, COMMAND)

    everything = f"{seen} {hook.calls} {vars(metrics)} {[vars(each) for each in caplog.records]}"
    assert SECRET not in everything
    assert kept.messages == []
    assert hook.response.error_code is AgentErrorCode.OUTPUT_REJECTED
    assert hook.response.error_message == "A key would have left."


async def test_the_text_stream_tells_of_a_rejection_last() -> None:
    """What left before it was clean."""
    text = f"Let me see what there is to say about it: {SECRET}."
    agent = agent_with(Rejecting(), turns=[text])

    pieces = [piece async for piece in agent.execute_stream(COMMAND)]

    assert text.startswith("".join(pieces[:-1]))
    assert pieces[-1] == "[error] A key would have left."


async def test_guards_are_asked_in_order_on_what_the_one_before_left() -> None:
    """And with all that they may want to know of the run."""
    first, second = Masking(), Answering()

    result = await agent_with(first, second).execute(COMMAND)

    [request] = second.requests
    assert (request.text, request.is_final, request.released_chars) == ("It is [key].", True, 0)
    assert (request.user_id, request.tenant_id, request.session_id) == ("ann", "acme", "s")
    assert (request.run_id, request.agent) == (result.run_id, "default")


@BOTH
@pytest.mark.parametrize("answer", [RuntimeError(SECRET), "yes", None, Allowed(7)], ids=repr)  # type: ignore[arg-type]
async def test_a_guard_that_fails_rejects(answer: Any, entry_point: EntryPoint) -> None:
    """With the general message, and a fault that is counted."""
    metrics = RecordingMetrics()
    guard = Answering(window_chars=4)
    guard._answer = answer

    result = await entry_point(agent_with(guard, agent_metrics=metrics), COMMAND)

    assert isinstance(result, AgentResult)
    assert (result.error_code, result.content) == (AgentErrorCode.OUTPUT_REJECTED, None)
    assert result.error_message == "It ended with OUTPUT_REJECTED."
    assert metrics.faults == [FaultSource.OUTPUT_GUARD]


@BOTH
async def test_a_timeout_of_a_guard_rejects(entry_point: EntryPoint) -> None:
    """After the time that a component has."""

    class Hanging(Answering):
        async def check(self, request: Any) -> Any:
            await asyncio.Event().wait()

    settings = AgentSettings.model_validate({"concurrency": {"component_timeout_s": 0.01}})
    agent = scripted_agent(ScriptedChatModel(["Hi."]), settings, output_guards=[Hanging()])

    result = await entry_point(agent, COMMAND)

    assert getattr(result, "error_code", None) is AgentErrorCode.OUTPUT_REJECTED


@pytest.mark.parametrize("window", [-1, 1.5, "all", True])
def test_a_window_that_cannot_be_is_refused_at_the_start(window: Any) -> None:
    """By the name of the guard, with what it may ask for."""
    with pytest.raises(ConfigurationError, match=r"Answering cannot hold back .* characters"):
        agent_with(Answering(window_chars=window))


@pytest.mark.parametrize("kind", [RuntimeError, SystemExit])
def test_a_window_that_cannot_be_read_is_told_at_the_start(kind: type[BaseException]) -> None:
    """By the name of the guard and what it may say, without the words of the exception."""

    class Unsure(Answering):
        def __init__(self) -> None:
            self.requests = []

        @property
        def window_chars(self) -> int | None:  # type: ignore[override]
            raise kind(SECRET)

    with pytest.raises(ConfigurationError, match="Unsure cannot tell its window_chars") as told:
        agent_with(Unsure())

    assert told.value.evidence == (f"it raises {kind.__name__}",)
    assert "0 for every piece" in told.value.remedy
    assert SECRET not in f"{told.value} {told.value.__cause__}"


async def test_guards_come_after_the_filters() -> None:
    """What a filter adds is looked at, and what it takes away is not."""

    class Swapping(ResponseFilter):
        order = 1

        async def filter(self, content: str, context: object) -> str:
            return f"I know {SECRET}." if content == "Hi." else "Nothing."

    chain = ResponseFilterChain((Swapping(),))
    agent = agent_with(Rejecting(), turns=["Hi.", f"It is {SECRET}."], response_filter_chain=chain)

    results = [await agent.execute(COMMAND) for _ in range(2)]

    assert results[0].error_code is AgentErrorCode.OUTPUT_REJECTED
    assert results[1].content == "Nothing."


async def test_a_text_that_no_filter_changes_is_looked_at_once() -> None:
    """A guard may be a model itself."""
    guard = Answering()

    await agent_with(guard).execute(COMMAND)

    assert guard.texts == [f"It is {SECRET}."]


async def test_an_answer_from_the_cache_is_looked_at() -> None:
    """It may have been kept before there was a guard."""
    guard = Answering()
    agent, model = caching_agent(["It is out."], output_guards=[guard])

    for _ in range(2):
        await agent.execute(SAME_QUESTION)
    guard._answer = Rejected("No.", RejectionCategory.SENSITIVE_DATA)
    result = await agent.execute(SAME_QUESTION)

    assert len(model.requests) == 1
    assert result.error_code is AgentErrorCode.OUTPUT_REJECTED


@pytest.mark.parametrize("guard", [Masking(), Rejecting()], ids=["masked", "rejected"])
async def test_an_answer_that_may_not_leave_is_not_kept(guard: OutputGuard) -> None:
    """Neither as the model said it, nor as it left."""
    agent, model = caching_agent([f"It is {SECRET}."] * 2, output_guards=[guard])

    for _ in range(2):
        await agent.execute(SAME_QUESTION)

    assert len(model.requests) == 2


@BOTH
async def test_reasoning_passes_the_same_guards(entry_point: EntryPoint) -> None:
    """What is replaced in it loses its signature, and the vendor's own content goes with it."""
    signed = Reasoning(f"I must not say {SECRET}.", signature="abc")
    turn = AssistantMessage("Hello.", reasoning=(signed,), vendor_content=f"raw {SECRET}")

    result = await entry_point(agent_with(Masking(), turns=[turn]), COMMAND)

    assert isinstance(result, AgentResult)
    assert result.reasoning == "I must not say [key]."
    assert SECRET not in repr(result)


@BOTH
async def test_reasoning_is_rejected(entry_point: EntryPoint) -> None:
    """As text is."""
    turn = AssistantMessage("Hello.", reasoning=(Reasoning(f"Not {SECRET}."),))

    result = await entry_point(agent_with(Rejecting(), turns=[turn]), COMMAND)

    assert getattr(result, "error_code", None) is AgentErrorCode.OUTPUT_REJECTED
    assert SECRET not in repr(result)


async def documents(agent: AgentExecutor, command: AgentCommand) -> AgentResult:
    """Through a stream whose reader knows what to do with JSON, to the result."""
    assert isinstance(agent, ReActAgentExecutor)
    events = [event async for event in agent.stream_documents(command)]
    assert SECRET not in repr(events)
    assert isinstance(events[-1], RunFinished)
    return events[-1].result


@pytest.mark.parametrize("entry_point", [executed, documents])
async def test_a_structured_answer_has_the_value_of_what_leaves(entry_point: EntryPoint) -> None:
    """The value is read again from the text that guards have let leave."""
    command = COMMAND.model_copy(update={"response_format": ResponseFormat.JSON})

    result = await entry_point(agent_with(Masking(), turns=[f'{{"key": "{SECRET}"}}']), command)

    assert isinstance(result, AgentResult)
    assert (result.content, result.output) == ('{"key": "[key]"}', {"key": "[key]"})


@pytest.mark.parametrize("entry_point", [executed, documents])
@pytest.mark.parametrize("calls", [(), (ToolCall("1", "find", "{}"),)], ids=["alone", "calling"])
@pytest.mark.parametrize(
    ("form", "escape"),
    [
        (ResponseFormat.JSON, "\\u{:04x}"),
        (ResponseFormat.YAML, "\\x{:02x}"),
        (ResponseFormat.YAML, "\\U{:08x}\\\n  "),
    ],
)
async def test_escapes_do_not_hide_what_a_document_says(
    entry_point: EntryPoint, form: ResponseFormat, escape: str, calls: tuple[ToolCall, ...]
) -> None:
    """Guards read it as programs do, also beside calls that are not made."""
    command = COMMAND.model_copy(update={"response_format": form})
    hidden = "".join(escape.format(ord(letter)) for letter in SECRET)
    answer = AssistantMessage(f'{{"key": "{hidden}"}}', calls)

    result = await entry_point(agent_with(Masking(), turns=[answer]), command)

    assert isinstance(result, AgentResult)
    assert result.output == {"key": "[key]"}


@pytest.mark.parametrize("guards", [(), (Answering(),)], ids=["alone", "guarded"])
async def test_the_log_quotes_no_answer_that_guards_have_not_seen(
    guards: tuple[OutputGuard, ...], caplog: pytest.LogCaptureFixture
) -> None:
    """Without guards it says what is wrong with one, which quotes it."""
    command = COMMAND.model_copy(
        update={"response_format": ResponseFormat.JSON, "response_schema": {"type": "integer"}}
    )
    caplog.set_level("DEBUG")

    await agent_with(*guards, turns=[f'"{SECRET}"', "1"]).execute(command)

    assert (SECRET in f"{[vars(each) for each in caplog.records]}") == (not guards)


async def test_a_structured_answer_of_which_a_guard_leaves_no_document_is_rejected() -> None:
    """A caller never gets half of one."""
    command = COMMAND.model_copy(update={"response_format": ResponseFormat.JSON})
    guard = Answering(Allowed("{"))

    result = await agent_with(guard, turns=['{"a": 1}']).execute(command)

    assert (result.error_code, result.output) == (AgentErrorCode.OUTPUT_REJECTED, None)


@BOTH
async def test_what_the_user_said_is_not_looked_at(entry_point: EntryPoint) -> None:
    """Guards of prompts are for that."""
    asked = COMMAND.model_copy(update={"user_prompt": f"Is {SECRET} mine?"})
    guard = Answering()

    result = await entry_point(agent_with(guard, turns=["Yes."]), asked)

    assert isinstance(result, AgentResult)
    assert result.messages[0] == UserMessage(f"Is {SECRET} mine?")
    assert not any(SECRET in text for text in guard.texts)
