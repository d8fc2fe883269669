"""Agents that ask each other, on a model that answers by the instructions it gets."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from arc_core import Agent, AgentCommand, AgentEvent, ChatRequest, ToolCall, ToolResultMessage
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent

__all__ = ["agent_of", "ask", "asking", "engine_of", "events_by_run", "results_in"]


def agent_of(name: str, *delegates: str, **fields: Any) -> Agent[Any]:
    """An agent whose instructions are its name, and which has nothing but its delegates."""
    return Agent(name, instructions=name, **({"tools": [], "delegates": delegates} | fields))


def ask(name: str, task: str = "Go on.") -> ToolCall:
    """A call of another agent."""
    return ToolCall(f"call-{name}", f"ask_{name}", json.dumps({"task": task}))


def results_in(request: ChatRequest) -> list[tuple[str, str]]:
    """Outcome and text of each tool result of a request."""
    messages = [each for each in request.messages if isinstance(each, ToolResultMessage)]
    return [(each.outcome.value, each.text) for message in messages for each in message.results]


def asking(calls: Mapping[str, Sequence[str]], *, turns: int = 40) -> ScriptedChatModel:
    """Every agent asks those named here at once, and then says its name."""

    def answer(request: ChatRequest) -> Any:
        name = request.system_prompt or ""
        names = [] if results_in(request) else calls.get(name, [])
        return [ask(each) for each in names] or f"I am {name}."

    return ScriptedChatModel([answer] * turns)


def engine_of(
    model: Any, *agents: Agent[Any], settings: Mapping[str, Any] | None = None, **components: Any
) -> ReActAgentExecutor:
    """An engine of these agents."""
    checked = AgentSettings.model_validate(settings or {})
    return scripted_agent(model, checked, agents=agents, **components)


async def events_by_run(
    engine: ReActAgentExecutor, command: AgentCommand
) -> dict[str, list[AgentEvent]]:
    """The events of each run, by its id, the first to begin first."""
    runs: dict[str, list[AgentEvent]] = {}
    async for event in engine.stream_events(command):
        runs.setdefault(event.run_id, []).append(event)
    return runs
