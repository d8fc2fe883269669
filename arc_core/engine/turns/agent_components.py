"""The collaborators of one engine, wired once and shared by all its runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from arc_core.agents.agent import Agent
from arc_core.components.injection import FromSettings, Registered
from arc_core.engine.guards.response_filters import ResponseFilterChain
from arc_core.interfaces.agent_metrics import AgentMetrics
from arc_core.interfaces.approval_policy import ApprovalPolicy
from arc_core.interfaces.budgets import Budgets
from arc_core.interfaces.chat_model import ChatModel
from arc_core.interfaces.conversation_manager import ConversationManager
from arc_core.interfaces.error_message_resolver import ErrorMessageResolver
from arc_core.interfaces.guard import Guard
from arc_core.interfaces.hook import Hook
from arc_core.interfaces.model_prices import ModelPrices
from arc_core.interfaces.output_guard import OutputGuard
from arc_core.interfaces.response_cache import ResponseCache
from arc_core.interfaces.retriever import Retriever
from arc_core.interfaces.run_journal import RunJournals
from arc_core.interfaces.run_scopes import RunScopes
from arc_core.interfaces.token_estimator import TokenEstimator
from arc_core.interfaces.tool import Tool
from arc_core.interfaces.tool_result_guard import ToolResultGuard
from arc_core.interfaces.tool_selector import ToolSelector
from arc_core.interfaces.tool_source import ToolSource

__all__ = ["AgentComponents"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentComponents:
    """One component per slot, and the contributions; none is optional, so none can be forgotten.

    Attributes:
        chat_model: The model of `llm` itself.
        models: The models of `llm.models`, by their names.
        guards: In the order they are asked.
        output_guards: In the order they are asked.
        hooks: In the order they are called.
        tool_result_guards: In the order they are asked.
        tools: In the order they are offered; names may repeat, the first wins.
        local_tools: Those of `tools` that are always offered, and never selected among.
        run_scopes: Has what lives as long as a run.
        agents: Beside the one that the settings describe; their names are unique.
    """

    chat_model: ChatModel
    models: Annotated[Mapping[str, ChatModel], FromSettings()]
    guards: tuple[Guard, ...]
    output_guards: tuple[OutputGuard, ...]
    hooks: tuple[Hook, ...]
    tool_result_guards: tuple[ToolResultGuard, ...]
    tools: tuple[Tool | ToolSource, ...]
    local_tools: Registered[Tool]
    tool_selector: ToolSelector
    response_filter_chain: ResponseFilterChain
    response_cache: ResponseCache
    conversation_manager: ConversationManager
    retriever: Retriever
    token_estimator: TokenEstimator
    error_message_resolver: ErrorMessageResolver
    agent_metrics: AgentMetrics
    run_scopes: RunScopes
    run_journals: RunJournals
    approval_policy: ApprovalPolicy
    budgets: Budgets
    model_prices: ModelPrices
    agents: tuple[Agent, ...]
