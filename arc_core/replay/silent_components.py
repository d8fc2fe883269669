"""The components of a replay: those of the application, without all that has an effect."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arc_core.agents.agent import Agent
from arc_core.command import AgentCommand
from arc_core.defaults.inactive import EmptyResponseCache, UnboundedBudgets
from arc_core.engine.guards.response_filters import ResponseFilterChain
from arc_core.engine.turns.collaborators import AgentComponents
from arc_core.interfaces.agent_metrics import AgentMetrics
from arc_core.interfaces.conversations.conversation_manager import (
    ConversationManager,
    RemembersOfferedTools,
)
from arc_core.interfaces.optional import DeclaresPurity, QualifiesTools
from arc_core.interfaces.tools.tool import Tool, ToolContext, ToolSource
from arc_core.messages import Message
from arc_core.result import AgentResult


class RecordedSession(ConversationManager, RemembersOfferedTools):
    """A session of which only that is known which tools it offered; keeps nothing."""

    remembers_offered_tools = True

    def __init__(self) -> None:
        self.offered: Collection[str] = ()

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        """Load nothing: the record has it."""
        return ()

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        """Keep nothing."""

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        """Keep nothing."""

    async def load_offered_tools(self, command: AgentCommand) -> Collection[str]:
        """Return the names of the tools that the recorded run has offered."""
        return self.offered

    async def save_offered_tools(self, command: AgentCommand, tools: Collection[str]) -> None:
        """Keep nothing."""


class _SilentMetrics(AgentMetrics):
    """Records nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordedTool(Tool):
    """A tool of a server, as a recording has it; it cannot be called.

    Attributes:
        qualified_name: With the name of its server, as `mcp:shop/find`.
    """

    name: str
    description: str
    parameters: Any
    qualified_name: str
    timeout_s: float | None = None

    async def call(self, arguments: Any, context: ToolContext) -> object:
        """Refuse: its result stands in the record."""
        raise NotImplementedError("a recorded tool answers from its recording")


class RecordedSource(ToolSource):
    """A source whose tools are those of the recording, since its servers are not asked."""

    def __init__(self, qualifiers: Sequence[str]) -> None:
        self.qualifiers = tuple(qualifiers)
        self._recorded: tuple[RecordedTool, ...] = ()
        self._tools: Sequence[Tool] = ()

    def take(self, recorded: tuple[RecordedTool, ...]) -> None:
        """Bring those of the tools that are of one of its servers."""
        if recorded is not self._recorded:
            self._recorded = recorded
            self._tools = [e for e in recorded if e.qualified_name.startswith(self.qualifiers)]

    def tools(self) -> Sequence[Tool]:
        """Return the recorded tools of its servers."""
        return self._tools


@dataclass(frozen=True, slots=True)
class SilentComponents:
    """Components that report nothing, spend nothing, keep nothing and ask no server.

    Of the guards, those that declare to be pure are among `all`.
    """

    all: AgentComponents
    sources: tuple[RecordedSource, ...]
    session: RecordedSession
    agents: Mapping[str, Agent]
    has_impure_guards: bool

    @classmethod
    def of(cls, components: AgentComponents) -> "SilentComponents":
        """Return the components of an application for its replays."""
        tools, session = tuple(map(_silence, components.tools)), RecordedSession()
        pure = tuple(
            each for each in components.guards if isinstance(each, DeclaresPurity) and each.pure
        )
        silent = replace(
            components,
            guards=pure,
            output_guards=(),
            hooks=(),
            tool_result_guards=(),
            tools=tools,
            response_filter_chain=ResponseFilterChain(),
            response_cache=EmptyResponseCache(),
            conversation_manager=session,
            agent_metrics=_SilentMetrics(),
            budgets=UnboundedBudgets(),
        )
        sources = tuple(each for each in tools if isinstance(each, RecordedSource))
        agents = {each.name: each for each in components.agents}
        return cls(silent, sources, session, agents, len(pure) < len(components.guards))


def _silence(tool: Tool | ToolSource) -> Tool | ToolSource:
    if isinstance(tool, Tool) or not isinstance(tool, QualifiesTools):
        return tool
    return RecordedSource(tool.qualifiers)
