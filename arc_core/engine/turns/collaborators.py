"""The collaborators of an engine, each made from the components it needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from arc_core.agents.agent import Agent
from arc_core.components.injection import FromSettings, Registered
from arc_core.components.wiring_record import WiringRecord
from arc_core.engine.agents.agent_functions import AgentFunctions
from arc_core.engine.answers.structured_output import StructuredOutput
from arc_core.engine.boundary.boundary import Boundary, SafeMetrics, get_error_text
from arc_core.engine.boundary.hooks import HookChain
from arc_core.engine.caching.response_caching import ResponseCaching
from arc_core.engine.context.attachments import AttachmentRules
from arc_core.engine.context.compaction import ContextCompaction, check_summary_model
from arc_core.engine.context.history import ConversationHistory, DocumentRetrieval
from arc_core.engine.guards.input_guards import GuardChain, ToolResultGuards
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.engine.guards.response_filters import ResponseFilterChain
from arc_core.engine.model_calls.model_call import ModelCall
from arc_core.engine.model_calls.retry import RetryPolicy
from arc_core.engine.models.models import ModelFit, Models, Prices
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.session_memory import AgentsInCharge, OfferedTools
from arc_core.engine.spending.billing import Billing
from arc_core.engine.tool_calls.tool_calls import ToolCallRunner
from arc_core.engine.tools.approvals import ApprovalReach, Approvals
from arc_core.engine.tools.attached_resources import AttachedResources
from arc_core.engine.tools.callable_tools import CallableTools
from arc_core.engine.tools.tool_inventory import ToolInventory
from arc_core.engine.tools.tool_selection import ToolOffering
from arc_core.engine.tools.user_requests import AskingParts
from arc_core.engine.tools.user_tools import UserTools
from arc_core.interfaces.agent_metrics import AgentMetrics
from arc_core.interfaces.budgets import Budgets
from arc_core.interfaces.conversations.compactor import Compactor
from arc_core.interfaces.conversations.conversation_manager import ConversationManager
from arc_core.interfaces.conversations.reranker import Reranker
from arc_core.interfaces.conversations.retriever import Retriever
from arc_core.interfaces.credentials import Credentials
from arc_core.interfaces.error_message_resolver import ErrorMessageResolver
from arc_core.interfaces.guards.guard import Guard
from arc_core.interfaces.guards.output_guard import OutputGuard
from arc_core.interfaces.guards.tool_result_guard import ToolResultGuard
from arc_core.interfaces.hook import Hook
from arc_core.interfaces.models.chat_model import ChatModel
from arc_core.interfaces.models.model_prices import ModelPrices
from arc_core.interfaces.models.response_cache import ResponseCache
from arc_core.interfaces.models.token_estimator import TokenEstimator
from arc_core.interfaces.run_scope import RunScopes
from arc_core.interfaces.tools.approval_policy import ApprovalPolicy
from arc_core.interfaces.tools.tool import Tool, ToolSource
from arc_core.interfaces.tools.tool_selector import ToolSelector
from arc_core.runs.store import RunStore
from arc_core.settings import AgentSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentComponents:
    """One component per slot, and the contributions; none has a default, so none can be forgotten.

    Several of one kind are in the order in which they are called, asked or offered.

    Attributes:
        chat_model: The model of `llm` itself.
        models: The models of `llm.models`, by their names.
        tools: Names may repeat, the first wins.
        local_tools: Those of `tools` that are always offered, and never selected among.
        run_scopes: Has what lives as long as a run.
        agents: Beside the one that the settings describe; their names are unique.
        wiring: Names all of them in the records of runs.
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
    compactor: Compactor
    retriever: Retriever
    reranker: Reranker | None
    token_estimator: TokenEstimator
    error_message_resolver: ErrorMessageResolver
    agent_metrics: AgentMetrics
    run_scopes: RunScopes
    run_journals: RunStore
    approval_policy: ApprovalPolicy
    credentials: Credentials
    budgets: Budgets
    model_prices: ModelPrices
    agents: tuple[Agent, ...]
    wiring: WiringRecord


class Collaborators:
    """The parts that runs pass and work with; those that others need are made first.

    Raises:
        ConfigurationError: A component cannot be used as it is.
    """

    def __init__(self, components: AgentComponents, settings: AgentSettings) -> None:
        self._components, self.settings = components, settings
        self.metrics = SafeMetrics(components.agent_metrics)
        self.boundary = Boundary(self.metrics.record_fault, settings=settings)
        self.costs = TokenCosts(components.token_estimator, boundary=self.boundary)
        self._make_models()
        self._make_checks()
        self._make_context()
        self._make_tools()
        self._make_turns()

    def _make_models(self) -> None:
        components, settings = self._components, self.settings
        self.models = Models(
            components.chat_model, components.models, llm=settings.llm, circuit=settings.circuit
        )
        self.fit = ModelFit(self.costs, boundary=self.boundary)
        self.prices = Prices(components.model_prices, boundary=self.boundary)
        self.billing = Billing(
            components.budgets,
            models=self.models,
            fit=self.fit,
            prices=self.prices,
            costs=self.costs,
            boundary=self.boundary,
            settings=settings.budget,
        )
        self.response_caching = ResponseCaching(
            cache=components.response_cache,
            models=self.models,
            boundary=self.boundary,
            metrics=self.metrics,
            prices=self.prices,
            settings=settings,
        )

    def _make_checks(self) -> None:
        components, boundary, llm = self._components, self.boundary, self.settings.llm
        self.hooks = HookChain(components.hooks, boundary=boundary)
        self.get_error_text = partial(get_error_text, components.error_message_resolver, boundary)
        self.agent_functions = AgentFunctions(
            components.agents, boundary=boundary, otherwise=llm.system_prompt
        )
        self.guards = GuardChain(
            components.guards,
            boundary=boundary,
            system_prompt=llm.system_prompt,
            instructed_later=self.agent_functions.instructions,
        )
        self.output_guards = OutputGuards(components.output_guards, boundary=boundary)
        self.tool_result_guards = ToolResultGuards(
            components.tool_result_guards,
            boundary=boundary,
            max_chars=self.settings.context.keep_result_chars,
        )
        self.response_filters = components.response_filter_chain.bind(boundary)
        self.structured_output = StructuredOutput(
            self.agent_functions, logs_problems=not self.output_guards
        )

    def _make_context(self) -> None:
        components, boundary, settings = self._components, self.boundary, self.settings
        manager = components.conversation_manager
        self.history = ConversationHistory(
            manager, boundary=boundary, on_failure=settings.conversation.on_failure
        )
        self.in_charge = AgentsInCharge(manager, boundary=boundary, agents=components.agents)
        self.offered_tools = OfferedTools(manager, boundary=boundary)
        self.retrieval = DocumentRetrieval(
            components.retriever, components.reranker, boundary=boundary, settings=settings.rag
        )
        self.attachments = AttachmentRules(
            self.models, fit=self.fit, max_bytes=settings.llm.max_attachment_bytes
        )

    def _make_tools(self) -> None:
        components, settings, boundary = self._components, self.settings, self.boundary
        local, agents = components.local_tools.components, components.agents
        self.tool_selection = ToolOffering(
            ToolInventory(components.tools, local=local, boundary=boundary),
            agents=agents,
            selector=components.tool_selector,
            boundary=boundary,
            offered=self.offered_tools,
            costs=self.costs,
            settings=settings,
        )
        self.asking = AskingParts(
            guards=self.output_guards,
            expire_s=settings.approvals.expire_s,
            credentials=components.credentials,
            boundary=boundary,
        )
        self.user_tools = UserTools(
            self.tool_selection.inventory,
            agents=agents,
            parts=self.asking,
            max_tool_calls=settings.max_tool_calls,
        )
        self.approvals = Approvals(
            components.approval_policy,
            boundary=boundary,
            guards=self.output_guards,
            patterns=settings.tools.needs_approval,
            tools=(*components.tools, *(tool for agent in agents for tool in agent.own_tools)),
            settings=settings.approvals,
        )
        self.approval_reach = ApprovalReach(self.approvals, self.tool_selection)

    def _make_turns(self) -> None:
        components, settings = self._components, self.settings
        self.callable_tools = CallableTools(
            self.tool_selection.inventory, reach=self.approval_reach, scopes=components.run_scopes
        )
        self.resources = AttachedResources(
            self.tool_selection.find_tools,
            approvals=self.approvals,
            boundary=self.boundary,
            timeout_s=settings.concurrency.tool_call_timeout_s,
            max_chars=settings.context.keep_result_chars,
        )
        self.tool_calls = ToolCallRunner(
            approvals=self.approval_reach,
            requests=self.asking,
            attachments=self.attachments,
            hooks=self.hooks,
            result_guards=self.tool_result_guards,
            metrics=self.metrics,
            settings=settings,
        )
        self.model_call = ModelCall(
            models=self.models,
            fit=self.fit,
            guards=self.output_guards,
            boundary=self.boundary,
            retries=RetryPolicy(settings.retry),
            metrics=self.metrics,
            billing=self.billing,
        )
        check_summary_model(settings.context.summary_model, known=self.models.names)
        self.compaction = ContextCompaction(
            components.compactor,
            guards=self.tool_result_guards,
            costs=self.costs,
            metrics=self.metrics,
            ask_model=self.model_call.ask_beside,
            boundary=self.boundary,
            settings=settings,
        )
