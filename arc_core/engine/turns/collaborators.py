"""The collaborators of an engine, each made from the components it needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from arc_core.agents.agent import Agent
from arc_core.components.injection import FromSettings, Registered
from arc_core.components.wiring_record import WiringRecord
from arc_core.engine.agents.agent_functions import AgentInstructions, OutputChecks
from arc_core.engine.agents.agents_in_charge import AgentsInCharge
from arc_core.engine.answers.structured_output import StructuredOutput
from arc_core.engine.boundary.boundary import Boundary, ErrorMessages, SafeMetrics
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
from arc_core.engine.models.model_fit import ModelFit
from arc_core.engine.models.models import Models, Prices
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.spending.billing import Billing
from arc_core.engine.tool_calls.tool_calls import ToolCallRunner
from arc_core.engine.tools.approvals import ApprovalReach, Approvals
from arc_core.engine.tools.attached_resources import AttachedResources
from arc_core.engine.tools.callable_tools import CallableTools
from arc_core.engine.tools.offered_tools import OfferedTools
from arc_core.engine.tools.tool_inventory import ToolInventory
from arc_core.engine.tools.tool_selection import ToolOffering
from arc_core.engine.tools.user_requests import AskingParts
from arc_core.engine.tools.user_tools import UserTools
from arc_core.engine.turns.turn_loop import TurnLoop
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
        self._components, self._settings = components, settings
        for name, part in vars(type(self)).items():
            if isinstance(part, cached_property):
                getattr(self, name)

    @cached_property
    def metrics(self) -> SafeMetrics:
        """Measure all of them."""
        return SafeMetrics(self._components.agent_metrics)

    @cached_property
    def boundary(self) -> Boundary:
        """Calls components."""
        return Boundary(self.metrics.record_fault, settings=self._settings)

    @cached_property
    def costs(self) -> TokenCosts:
        """Count tokens."""
        return TokenCosts(self._components.token_estimator, boundary=self.boundary)

    @cached_property
    def hooks(self) -> HookChain:
        """Let runs start, and are told of tool calls and of the end."""
        return HookChain(self._components.hooks, boundary=self.boundary)

    @cached_property
    def error_messages(self) -> ErrorMessages:
        """The texts of failures for people."""
        return ErrorMessages(self._components.error_message_resolver, boundary=self.boundary)

    @cached_property
    def instructions(self) -> AgentInstructions:
        """The system prompts that functions of agents write."""
        otherwise = self._settings.llm.system_prompt
        agents = self._components.agents
        return AgentInstructions(agents, boundary=self.boundary, otherwise=otherwise)

    @cached_property
    def guards(self) -> GuardChain:
        """Let prompts in."""
        return GuardChain(
            self._components.guards,
            boundary=self.boundary,
            system_prompt=self._settings.llm.system_prompt,
            instructed_later=self.instructions.functions,
        )

    @cached_property
    def output_guards(self) -> OutputGuards:
        """Let answers leave."""
        return OutputGuards(self._components.output_guards, boundary=self.boundary)

    @cached_property
    def response_filters(self) -> ResponseFilterChain:
        """Change the answers of `execute()`."""
        return self._components.response_filter_chain.bind(self.boundary)

    @cached_property
    def history(self) -> ConversationHistory:
        """Loads and saves conversations."""
        return ConversationHistory(
            self._components.conversation_manager,
            boundary=self.boundary,
            on_failure=self._settings.conversation.on_failure,
        )

    @cached_property
    def in_charge(self) -> AgentsInCharge:
        """Knows which agent goes on with a session."""
        return AgentsInCharge(
            self._components.conversation_manager,
            boundary=self.boundary,
            agents=self._components.agents,
        )

    @cached_property
    def retrieval(self) -> DocumentRetrieval:
        """Finds documents."""
        retriever, rag = self._components.retriever, self._settings.rag
        reranker = self._components.reranker
        return DocumentRetrieval(retriever, reranker, boundary=self.boundary, settings=rag)

    @cached_property
    def models(self) -> Models:
        """The models that runs may ask."""
        return Models(
            self._components.chat_model,
            self._components.models,
            llm=self._settings.llm,
            circuit=self._settings.circuit,
        )

    @cached_property
    def fit(self) -> ModelFit:
        """Knows what models can be sent."""
        return ModelFit(self.costs, boundary=self.boundary)

    @cached_property
    def attachments(self) -> AttachmentRules:
        """Refuses attachments that the model cannot be sent."""
        max_bytes = self._settings.llm.max_attachment_bytes
        return AttachmentRules(self.models, fit=self.fit, max_bytes=max_bytes)

    @cached_property
    def resources(self) -> AttachedResources:
        """Reads resources that callers attach."""
        return AttachedResources(
            self.tool_selection.find_tools,
            approvals=self.approvals,
            boundary=self.boundary,
            timeout_s=self._settings.concurrency.tool_call_timeout_s,
            max_chars=self._settings.context.keep_result_chars,
        )

    @cached_property
    def prices(self) -> Prices:
        """Know what calls of models cost."""
        return Prices(self._components.model_prices, boundary=self.boundary)

    @cached_property
    def billing(self) -> Billing:
        """Pays for the calls of models."""
        return Billing(
            self._components.budgets,
            models=self.models,
            fit=self.fit,
            prices=self.prices,
            costs=self.costs,
            boundary=self.boundary,
            settings=self._settings.budget,
        )

    @cached_property
    def model_call(self) -> ModelCall:
        """Asks models."""
        return ModelCall(
            models=self.models,
            fit=self.fit,
            guards=self.output_guards,
            boundary=self.boundary,
            retries=RetryPolicy(self._settings.retry),
            metrics=self.metrics,
            billing=self.billing,
        )

    @cached_property
    def offered_tools(self) -> OfferedTools:
        """Remember what sessions were offered before."""
        return OfferedTools(self._components.conversation_manager, boundary=self.boundary)

    @cached_property
    def tool_selection(self) -> ToolOffering:
        """Chooses the tools that models may call."""
        components = self._components
        return ToolOffering(
            ToolInventory(
                components.tools, local=components.local_tools.components, boundary=self.boundary
            ),
            agents=components.agents,
            selector=components.tool_selector,
            boundary=self.boundary,
            offered=self.offered_tools,
            costs=self.costs,
            settings=self._settings,
        )

    @cached_property
    def asking(self) -> AskingParts:
        """Asks users, for logins among others."""
        return AskingParts(
            guards=self.output_guards,
            expire_s=self._settings.approvals.expire_s,
            credentials=self._components.credentials,
            boundary=self.boundary,
        )

    @cached_property
    def user_tools(self) -> UserTools:
        """Learns which tools there are for the users of runs alone."""
        return UserTools(
            self.tool_selection.inventory,
            agents=self._components.agents,
            parts=self.asking,
            max_tool_calls=self._settings.max_tool_calls,
        )

    @cached_property
    def approvals(self) -> Approvals:
        """Decides which tool calls wait for a person."""
        components, settings = self._components, self._settings
        own = (tool for agent in components.agents for tool in agent.own_tools)
        return Approvals(
            components.approval_policy,
            boundary=self.boundary,
            guards=self.output_guards,
            patterns=settings.tools.needs_approval,
            tools=(*components.tools, *own),
            settings=settings.approvals,
        )

    @cached_property
    def approval_reach(self) -> ApprovalReach:
        """Finds the calls that may lead to one that waits."""
        return ApprovalReach(self.approvals, self.tool_selection)

    @cached_property
    def callable_tools(self) -> CallableTools:
        """Offer tools to programs."""
        inventory, scopes = self.tool_selection.inventory, self._components.run_scopes
        return CallableTools(inventory, reach=self.approval_reach, scopes=scopes)

    @cached_property
    def tool_result_guards(self) -> ToolResultGuards:
        """Let results of tools reach the model."""
        return ToolResultGuards(
            self._components.tool_result_guards,
            boundary=self.boundary,
            max_chars=self._settings.context.keep_result_chars,
        )

    @cached_property
    def compaction(self) -> ContextCompaction:
        """Makes room in conversations."""
        check_summary_model(self._settings.context.summary_model, known=self.models.names)
        return ContextCompaction(
            self._components.compactor,
            guards=self.tool_result_guards,
            costs=self.costs,
            metrics=self.metrics,
            ask_model=self.model_call.ask_beside,
            boundary=self.boundary,
            settings=self._settings,
        )

    @cached_property
    def tool_calls(self) -> ToolCallRunner:
        """Runs what models call."""
        return ToolCallRunner(
            approvals=self.approval_reach,
            requests=self.asking,
            attachments=self.attachments,
            hooks=self.hooks,
            result_guards=self.tool_result_guards,
            metrics=self.metrics,
            settings=self._settings,
        )

    @cached_property
    def output_checks(self) -> OutputChecks:
        """Ask agents about their answers."""
        return OutputChecks(self._components.agents, boundary=self.boundary)

    @cached_property
    def structured_output(self) -> StructuredOutput:
        """Reads answers."""
        return StructuredOutput(self.output_checks, logs_problems=not self.output_guards)

    @cached_property
    def turn_loop(self) -> TurnLoop:
        """Asks the model, runs tools, and asks again."""
        return TurnLoop(
            structured_output=self.structured_output,
            model_call=self.model_call,
            models=self.models,
            tool_calls=self.tool_calls,
            costs=self.costs,
            compaction=self.compaction,
            settings=self._settings,
        )

    @cached_property
    def response_caching(self) -> ResponseCaching:
        """Answers identical runs."""
        return ResponseCaching(
            cache=self._components.response_cache,
            models=self.models,
            boundary=self.boundary,
            metrics=self.metrics,
            prices=self.prices,
            settings=self._settings,
        )
