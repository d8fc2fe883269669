"""Runs of many turns against a scripted model, and what each of their requests had."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from arc_core import (
    AgentCommand,
    AgentResult,
    AssistantMessage,
    ChatRequest,
    ContextCompacted,
    Message,
    RunFinished,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    tool,
)
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.settings import AgentSettings
from arc_core.testing import CharacterEstimator, ScriptedChatModel, scripted_agent

MAX_OUTPUT = 100
COSTS = TokenCosts(CharacterEstimator(), boundary=Boundary())


def settings(
    window: int, *, models: Mapping[str, Mapping[str, int] | None] | None = None, **context: Any
) -> AgentSettings:
    """A window of so many tokens, which are characters, enough tool calls, and models by price."""
    return AgentSettings.model_validate(
        {
            "llm": {
                "max_context_window_tokens": window + MAX_OUTPUT,
                "max_output_tokens": MAX_OUTPUT,
                "price": {"input": 0, "output": 0},
                "models": {
                    name: {"model": f"{name}-1", "price": price}
                    for name, price in (models or {}).items()
                },
            },
            "max_tool_calls": 1000,
            "context": {"show_result_chars": 2000, **context},
        }
    )


@tool
def look(size: int, mark: str = "x") -> str:
    """Look something up."""
    return (f"{mark} " * size)[:size]


def calling(*sizes: int, mark: str = "x") -> list[ToolCall]:
    """One turn that looks something up for each size."""
    return [
        ToolCall(f"c{number}", "look", json.dumps({"size": size, "mark": mark}))
        for number, size in enumerate(sizes)
    ]


def reading(**arguments: str) -> list[ToolCall]:
    """One turn that reads a result."""
    return [ToolCall("r", "read_result", json.dumps(arguments))]


class LongRun:
    """One run, and its requests.

    Args:
        script: What the model says, turn by turn.
        config: Of the agent.
        components: In the place of fakes.
    """

    def __init__(self, script: Sequence[Any], config: AgentSettings, **components: Any) -> None:
        self.model = ScriptedChatModel([*script, "Done."])
        self.config = config
        components = {"tools": (look,), **components}
        self.agent = scripted_agent(self.model, config, **components)
        self.compactions: list[ContextCompacted] = []
        self.result: AgentResult | None = None

    async def run(self, prompt: str = "How many?", **options: Any) -> "LongRun":
        """Run it to its end."""
        command = AgentCommand(user_prompt=prompt, **options)
        async for event in self.agent.stream_events(command):
            if isinstance(event, ContextCompacted):
                self.compactions.append(event)
            if isinstance(event, RunFinished):
                self.result = event.result
        return self

    @property
    def requests(self) -> Sequence[ChatRequest]:
        """All of them, the first one first."""
        return self.model.requests

    def results(self, request: int = -1) -> list[str]:
        """The texts of the results in a request."""
        return [
            result.text
            for message in self.requests[request].messages
            if isinstance(message, ToolResultMessage)
            for result in message.results
        ]


def count_tokens(request: ChatRequest) -> int:
    """The tokens of a request."""
    return COSTS.of_request(request)


def check_pairs(messages: Sequence[Message]) -> None:
    """See that calls are followed by their results, and results preceded by their calls."""
    calls: list[str] = []
    for message in messages:
        if isinstance(message, ToolResultMessage):
            assert calls == [result.call_id for result in message.results]
            calls = []
            continue
        assert not calls
        if isinstance(message, AssistantMessage):
            calls = [call.id for call in message.tool_calls]
    assert not calls


def has_question(request: ChatRequest, prompt: str = "How many?") -> bool:
    """Whether the question stands in a request."""
    return any(
        isinstance(message, UserMessage) and message.text == prompt for message in request.messages
    )
