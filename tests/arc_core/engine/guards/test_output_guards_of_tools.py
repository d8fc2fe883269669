"""Output guards and tool calls: people see what is let out of them, tools get all of it."""

from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Allowed,
    AssistantMessage,
    GuardResult,
    OutputGuardRequest,
    ToolCall,
    ToolCallStarted,
    ToolRetry,
    tool,
)
from arc_core.testing import RecordingHook, RecordingMetrics, ScriptedChatModel, scripted_agent
from tests.arc_core.engine.asking_agents import agent_of, ask
from tests.arc_core.engine.entry_points import EntryPoint, events_of, executed, streamed
from tests.arc_core.engine.output_guarding import SECRET, Answering, Masking, Rejecting

COMMAND = AgentCommand(user_prompt="Hello", session_id="s")
TO_BOSS = COMMAND.model_copy(update={"agent": "boss"})
BOTH = pytest.mark.parametrize("entry_point", [executed, streamed])
CALL = ToolCall("1", "send", f'{{"text": "{SECRET}"}}')
LAST = "Done."


class Sender:
    """Has the tool that sends."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    @tool
    async def send(self, text: str) -> str:
        """Send a text."""
        self.sent.append(text)
        return "ok"


class Withdrawing(Masking):
    """Replaces an answer that has the secret with another one."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        return Allowed("I cannot say that." if SECRET in request.text else None)


def agent_with(guard: Any, *turns: Any, **more: Any) -> tuple[Any, ScriptedChatModel, Sender]:
    """An agent that sends, its model, and what is sent."""
    model, sender = ScriptedChatModel([*turns, LAST]), Sender()
    agent = scripted_agent(model, output_guards=[guard], tools=[sender.send], **more)
    return agent, model, sender


def boss_with(guard: Any, *turns: Any, **more: Any) -> tuple[Any, ScriptedChatModel]:
    """An agent that may ask another one, and the model of both."""
    model, agents = ScriptedChatModel(turns), [agent_of("boss", "clerk"), agent_of("clerk")]
    return scripted_agent(model, output_guards=[guard], agents=agents, **more), model


async def test_events_and_hooks_see_what_is_let_out_of_arguments() -> None:
    """The tool and the model get them as they are."""
    hook = RecordingHook()
    agent, model, sender = agent_with(Masking(), [CALL], hooks=[hook])

    events = await events_of(agent, COMMAND)

    [started] = [event for event in events if isinstance(event, ToolCallStarted)]
    assert started.call.arguments == '{"text": "[key]"}'
    assert SECRET not in f"{events} {hook.calls}"
    assert sender.sent == [SECRET]
    assert SECRET in repr(model.requests[1].messages)


@BOTH
async def test_an_id_of_a_call_that_has_a_secret_is_another_one_for_everyone(
    entry_point: EntryPoint,
) -> None:
    """Also for the model, which is told the result of its call under the same id."""
    hook = RecordingHook()
    agent, model, sender = agent_with(
        Masking(), [ToolCall(f"call-{SECRET}", "send", '{"text": "Hi"}')], hooks=[hook]
    )

    result = await entry_point(agent, COMMAND)

    assert SECRET not in f"{result} {hook.calls} {model.requests[1].messages}"
    assert "call_0" in f"{hook.calls}"
    assert sender.sent == ["Hi"]


async def test_ids_are_not_shown_to_a_guard_that_judges_answers() -> None:
    """It would not know what to make of them."""
    guard = Answering()
    agent, _, _ = agent_with(guard, [ToolCall("call-1", "send", '{"text": "Hi"}')])

    await agent.execute(COMMAND)

    assert "call-1" not in guard.texts


async def test_escapes_do_not_hide_what_arguments_say() -> None:
    """Hooks read them decoded."""
    hook = RecordingHook()
    hidden = "".join(f"\\u{ord(letter):04x}" for letter in SECRET)
    call = ToolCall("1", "send", f'{{"text": "{hidden}"}}')
    agent, _, sender = agent_with(Masking(), [call], hooks=[hook])

    result = await agent.execute(COMMAND)

    assert SECRET not in f"{result} {hook.calls}"
    assert sender.sent == [SECRET]


@BOTH
async def test_a_rejected_argument_ends_the_run_before_the_tool_runs(
    entry_point: EntryPoint,
) -> None:
    """No reader and no hook has seen it by then."""
    hook = RecordingHook()
    agent, _, sender = agent_with(Rejecting(), [CALL], hooks=[hook])

    result = await entry_point(agent, COMMAND)

    assert getattr(result, "error_code", None) is AgentErrorCode.OUTPUT_REJECTED
    assert sender.sent == []
    assert SECRET not in f"{result} {hook.calls}"


@BOTH
async def test_a_rejected_call_counts_its_tokens(entry_point: EntryPoint) -> None:
    """The model has been paid for it, whether anyone sees it or not."""
    metrics = RecordingMetrics()
    agent, _, _ = agent_with(Rejecting(), [CALL], agent_metrics=metrics)

    result = await entry_point(agent, COMMAND)

    assert isinstance(result, AgentResult)
    assert result.token_usage is not None
    assert result.token_usage == metrics.model_calls[0].token_usage


@BOTH
async def test_text_before_a_tool_call_is_looked_at(entry_point: EntryPoint) -> None:
    """As an answer is: messages of the result have what left."""
    turn = AssistantMessage(f"I send {SECRET} now.", (CALL,), vendor_content=f"raw {SECRET}")
    agent, _, sender = agent_with(Masking(), turn)

    result = await entry_point(agent, COMMAND)

    assert isinstance(result, AgentResult)
    said = result.messages[1]
    assert isinstance(said, AssistantMessage)
    assert said.content == "I send [key] now."
    assert SECRET not in repr(result)
    assert sender.sent == [SECRET]


@BOTH
@pytest.mark.parametrize("window_chars", [None, len(SECRET)])
async def test_a_leak_that_a_tool_call_parts_is_seen(
    entry_point: EntryPoint, window_chars: int | None
) -> None:
    """Guards are shown the end of what was said before the call, those of whole answers as well."""
    turn = AssistantMessage(f"It is {SECRET[:6]}", (ToolCall("1", "send", '{"text": "x"}'),))
    agent, _, _ = agent_with(Rejecting(window_chars=window_chars), turn, SECRET[6:])

    result = await entry_point(agent, COMMAND)

    assert getattr(result, "error_code", None) is AgentErrorCode.OUTPUT_REJECTED


@BOTH
@pytest.mark.parametrize("window_chars", [None, 40])
async def test_a_guard_may_replace_a_whole_answer_behind_a_tool_call(
    entry_point: EntryPoint, window_chars: int | None
) -> None:
    """It is asked about the answer alone first, of which nothing has left."""
    turn = AssistantMessage("Let me see.", (ToolCall("1", "send", '{"text": "x"}'),))
    guard = Withdrawing(window_chars=window_chars)
    agent, _, _ = agent_with(guard, turn, f"It is {SECRET}.")

    result = await entry_point(agent, COMMAND)

    assert isinstance(result, AgentResult)
    assert result.content == "I cannot say that."


@BOTH
async def test_an_invented_name_is_looked_at(entry_point: EntryPoint) -> None:
    """A model can put anything there."""
    agent, _, _ = agent_with(Masking(), [ToolCall("1", SECRET, "{}")])

    result = await entry_point(agent, COMMAND)

    assert isinstance(result, AgentResult)
    assert result.success
    assert SECRET not in repr(result)


@BOTH
async def test_what_is_told_of_invalid_arguments_is_looked_at(entry_point: EntryPoint) -> None:
    """It may quote them."""

    @tool
    async def pick(text: str) -> str:
        """Pick."""
        raise ToolRetry(f"No {text}.")

    agent = scripted_agent(
        ScriptedChatModel([[ToolCall("1", "pick", f'{{"{SECRET}": 1}}')], LAST]),
        output_guards=[Masking()],
        tools=[pick],
    )

    result = await entry_point(agent, COMMAND)

    assert SECRET not in repr(result)


@BOTH
async def test_an_agent_that_is_asked_passes_the_guards_itself(entry_point: EntryPoint) -> None:
    """What it says reaches neither the reader nor the agent that asks."""
    engine, model = boss_with(Masking(), [ask("clerk")], f"I am {SECRET}.", "Thanks.")

    result = await entry_point(engine, TO_BOSS)

    assert isinstance(result, AgentResult)
    assert result.content == "Thanks."
    assert "I am [key]." in repr(model.requests[-1].messages)
    assert SECRET not in f"{result} {model.requests[-1].messages}"


@BOTH
async def test_hooks_see_what_is_let_out_of_a_task(entry_point: EntryPoint) -> None:
    """So do the messages of the run below; the agent that is asked gets all of it."""
    hook, asking = RecordingHook(), [ask("clerk", f"Use {SECRET}.")]
    engine, model = boss_with(Masking(), asking, "Used.", "Thanks.", hooks=[hook])

    result = await entry_point(engine, TO_BOSS)

    assert SECRET not in f"{result} {hook.calls}"
    assert "UserMessage(content='Use [key].')" in repr(hook.calls)
    assert f"Use {SECRET}." in repr(model.requests[1].messages)


@BOTH
async def test_a_rejection_of_an_agent_that_is_asked_is_its_failure_alone(
    entry_point: EntryPoint,
) -> None:
    """The one that asks goes on without its answer."""
    turns = ([ask("clerk")], f"I am {SECRET}.", "Thanks all the same.")
    engine, model = boss_with(Rejecting(), *turns)

    result = await entry_point(engine, TO_BOSS)

    assert isinstance(result, AgentResult)
    assert result.content == "Thanks all the same."
    assert "has no answer" in repr(model.requests[-1].messages)
