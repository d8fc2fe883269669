"""One row of the parity suite, and what is seen of a run that follows it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentExecutor,
    AgentResult,
    HookContext,
    Message,
    ToolCallContext,
    ToolCallResult,
    ToolOutcome,
)
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.settings import AgentSettings, RetrySettings
from arc_core.testing import (
    ListConversationManager,
    RecordingHook,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from arc_core.testing.scripted_model import Turn
from tests.arc_core.engine.entry_points import EntryPoint
from tests.parity.components import Gate

__all__ = ["DONE", "Scenario", "Seen", "seen_through"]

DONE = "It is sunny."
_PROMPT = "How is the weather in Seoul?"
_OTHER_PROMPT = "Keep the permit."

_AT_ONCE = RetrySettings(initial_delay_s=0)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A script, what it runs with, and the outcome that shows the scenario really took place.

    Attributes:
        turns: What the model says; each is asked for once, and no more.
        command: Fields of the command beside the prompt.
        settings: Sections that differ from the defaults.
        components: Components that differ from the fakes, made anew for each run.
        occupied: Whether another run keeps a permit meanwhile.
        code: How the run ends; None is a success.
        content: The answer of a success.
        tools_used: The names.
        outcomes: Of all tool calls, in the order they ended.
    """

    turns: tuple[Turn, ...] = ()
    command: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    components: Callable[[], dict[str, Any]] = dict
    occupied: bool = False
    code: AgentErrorCode | None = None
    content: str = DONE
    tools_used: tuple[str, ...] = ()
    outcomes: tuple[ToolOutcome, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What every component around a run got to see of it, without times and ids."""

    response: AgentResult
    hook_calls: tuple[tuple[str, object], ...]
    saved: tuple[Message, ...]
    requests: tuple[ChatRequest, ...]
    runs: tuple[object, ...]
    model_calls: tuple[object, ...]
    tool_calls: tuple[tuple[str, ToolOutcome], ...]
    faults: tuple[str, ...]


async def seen_through(entry_point: EntryPoint, scenario: Scenario) -> Seen:
    """Run a scenario through an entry point and look."""
    gate, hook, metrics = Gate(_OTHER_PROMPT), RecordingHook(), RecordingMetrics()
    model = ScriptedChatModel(scenario.turns)
    components: dict[str, Any] = {"conversation_manager": ListConversationManager()}
    components |= scenario.components()
    components["guards"] = (gate, *components.get("guards", ()))
    components["hooks"] = (*components.get("hooks", ()), hook)
    settings = AgentSettings.model_validate({"retry": _AT_ONCE} | dict(scenario.settings))
    agent = scripted_agent(model, settings, **components, agent_metrics=metrics)
    command = AgentCommand(**({"user_prompt": _PROMPT} | dict(scenario.command)))

    async with _another_run(agent, gate) if scenario.occupied else _no_scope():
        hook.calls.clear()
        await entry_point(agent, command)
        return _seen(hook, metrics, model, saved=components["conversation_manager"].messages)


def _seen(
    hook: RecordingHook,
    metrics: RecordingMetrics,
    model: ScriptedChatModel,
    *,
    saved: list[Message],
) -> Seen:
    return Seen(
        response=_comparable_response(hook.response),
        hook_calls=tuple((name, _comparable(value)) for name, value in hook.calls),
        saved=tuple(saved),
        requests=tuple(model.requests),
        runs=tuple((record.error_code, record.token_usage) for record in metrics.runs),
        model_calls=tuple(replace(record, duration_ms=0) for record in metrics.model_calls),
        tool_calls=tuple(metrics.tool_calls),
        faults=tuple(metrics.faults),
    )


def _comparable_response(response: AgentResult) -> AgentResult:
    return replace(response, duration_ms=0, partial_content=None, run_id="")


def _comparable(value: object) -> object:
    match value:
        case HookContext():
            return value.user_prompt, value.user_id, value.session_id, value.metadata
        case ToolCallContext():
            return value.tool_name, value.arguments, value.call_index
        case ToolCallResult():
            return replace(value, duration_ms=0)
        case AgentResult():
            return _comparable_response(value)
    return value


@asynccontextmanager
async def _no_scope() -> AsyncIterator[None]:
    yield


@asynccontextmanager
async def _another_run(agent: AgentExecutor, gate: Gate) -> AsyncIterator[None]:
    other = asyncio.create_task(agent.execute(AgentCommand(user_prompt=gate.prompt)))
    await gate.reached.wait()
    try:
        yield
    finally:
        gate.opened.set()
        await other
