"""The collaborators of an engine, each made from the components it needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Self

from arc_core.agents.agent import Agent
from arc_core.components.injection import FromSettings, Registered
from arc_core.engine.agents.agent_functions import AgentInstructions, OutputChecks
from arc_core.engine.agents.agents_in_charge import AgentsInCharge
from arc_core.engine.answers.structured_output import StructuredOutput
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.boundary.hooks import HookChain
from arc_core.engine.boundary.metrics import ErrorMessages, SafeMetrics
from arc_core.engine.caching.response_caching import ResponseCaching
from arc_core.engine.context.attachments import AttachmentRules
from arc_core.engine.context.history import ConversationHistory, DocumentRetrieval
from arc_core.engine.guards.input_guards import GuardChain
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.engine.guards.response_filters import ResponseFilterChain
from arc_core.engine.guards.tool_result_guards import ToolResultGuards
from arc_core.engine.model_calls.model_call import ModelCall
from arc_core.engine.model_calls.retry import RetryPolicy
from arc_core.engine.models.model_fit import ModelFit
from arc_core.engine.models.models import Models
from arc_core.engine.models.prices import Prices
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.spending.billing import Billing
from arc_core.engine.tool_calls.agent_calls import AgentCalls, Delegation, Handoff
from arc_core.engine.tool_calls.tool_calls import ToolCallBounds, ToolCallChecks, ToolCallRunner
from arc_core.engine.tools.approval_reach import ApprovalReach
from arc_core.engine.tools.approvals import Approvals
from arc_core.engine.tools.offered_tools import OfferedTools
from arc_core.engine.tools.tool_selection import ToolLimits, ToolOffering
from arc_core.engine.turns.turn_loop import TurnLoop
from arc_core.interfaces.agent_metrics import AgentMetrics
from arc_core.interfaces.budgets import Budgets
from arc_core.interfaces.conversations.conversation_manager import ConversationManager
from arc_core.interfaces.conversations.retriever import Retriever
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

__all__ = ["AgentComponents", "Collaborators"]


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
    run_journals: RunStore
    approval_policy: ApprovalPolicy
    budgets: Budgets
    model_prices: ModelPrices
    agents: tuple[Agent, ...]


_SHARE_OF_TOOLS = 2  # what a session was offered before must not squeeze out what was said


@dataclass(frozen=True, slots=True, kw_only=True)
class Collaborators:
    """What a run passes, in this order.

    Attributes:
        approvals: Which tool calls wait for a person.
        approval_reach: Which may lead to one that waits.
        models: Those that runs may ask.
        attachments: Whether the model can be sent what is attached.
        guards: Whether the prompt is let in.
        hooks: Whether the run may start; told of tool calls and of the end.
        history: What was said before; what is kept.
        in_charge: Which agent goes on with a session.
        instructions: What functions of agents tell the model to be.
        retrieval: What documents say.
        offered_tools: What sessions were offered before.
        tool_selection: What the model may call.
        response_caching: Whether an identical run has been answered already.
        tool_calls: Runs what the model calls.
        turn_loop: Ask, run tools, ask again.
        structured_output: Whether an answer is what was asked for.
        output_checks: What agents have to say of their answers.
        response_filters: What is changed in the answer of `execute()`.
        output_guards: What of an answer may leave.
        costs: Counts tokens, for all of them.
        billing: What runs may spend, and what models cost.
        metrics: Measures all of them.
        error_messages: What people are told of a failure.
    """

    approvals: Approvals
    approval_reach: ApprovalReach
    models: Models
    attachments: AttachmentRules
    guards: GuardChain
    hooks: HookChain
    history: ConversationHistory
    in_charge: AgentsInCharge
    instructions: AgentInstructions
    retrieval: DocumentRetrieval
    offered_tools: OfferedTools
    tool_selection: ToolOffering
    response_caching: ResponseCaching
    tool_calls: ToolCallRunner
    turn_loop: TurnLoop
    structured_output: StructuredOutput
    output_checks: OutputChecks
    response_filters: ResponseFilterChain
    output_guards: OutputGuards
    costs: TokenCosts
    billing: Billing
    metrics: SafeMetrics
    error_messages: ErrorMessages

    @classmethod
    def of(cls, components: AgentComponents, settings: AgentSettings) -> Self:
        """Make them from the components and settings of an engine."""
        common = _common(components, settings)
        boundary = common.boundary
        instructions = _instructions(components, settings, boundary=boundary)
        models = _models(components, settings)
        fit = ModelFit(common.costs, boundary=boundary)
        billing = _billing(components, common, models, fit=fit)
        model_call = _model_call(common, models, fit=fit, billing=billing)
        attachments = AttachmentRules(models, fit=fit, max_bytes=settings.llm.max_attachment_bytes)
        selection = _tool_selection(components, common)
        checks = _tool_call_checks(components, common, selection)
        tool_calls = _tool_call_runner(common, checks, attachments=attachments)
        output_checks = OutputChecks(components.agents, boundary=boundary)
        output = StructuredOutput(output_checks, logs_problems=not common.output_guards)
        return cls(
            approvals=checks.approvals,
            approval_reach=checks.reach,
            models=models,
            attachments=attachments,
            guards=_guards(components, settings, boundary=boundary, instructions=instructions),
            hooks=common.hooks,
            history=_history(components, settings, boundary=boundary),
            in_charge=_in_charge(components, boundary=boundary),
            instructions=instructions,
            retrieval=_retrieval(components, settings, boundary=boundary),
            offered_tools=common.offered_tools,
            tool_selection=selection,
            response_caching=_response_caching(components, common, models=models),
            tool_calls=tool_calls,
            turn_loop=_turn_loop(common, models, model_call, tool_calls=tool_calls, output=output),
            structured_output=output,
            output_checks=output_checks,
            response_filters=components.response_filter_chain.bind(boundary),
            output_guards=common.output_guards,
            costs=common.costs,
            billing=billing,
            metrics=common.metrics,
            error_messages=ErrorMessages(components.error_message_resolver, boundary=boundary),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Common:
    """What several stages work with."""

    settings: AgentSettings
    boundary: Boundary
    hooks: HookChain
    metrics: SafeMetrics
    costs: TokenCosts
    output_guards: OutputGuards
    prices: Prices
    offered_tools: OfferedTools


def _common(components: AgentComponents, settings: AgentSettings) -> _Common:
    metrics = SafeMetrics(components.agent_metrics)
    boundary = Boundary(metrics.record_fault, settings=settings)
    return _Common(
        settings=settings,
        boundary=boundary,
        hooks=HookChain(components.hooks, boundary=boundary),
        metrics=metrics,
        costs=TokenCosts(components.token_estimator, boundary=boundary),
        output_guards=OutputGuards(components.output_guards, boundary=boundary),
        prices=Prices(components.model_prices, boundary=boundary),
        offered_tools=OfferedTools(components.conversation_manager, boundary=boundary),
    )


def _turn_loop(
    common: _Common,
    models: Models,
    model_call: ModelCall,
    *,
    tool_calls: ToolCallRunner,
    output: StructuredOutput,
) -> TurnLoop:
    return TurnLoop(
        structured_output=output,
        model_call=model_call,
        models=models,
        tool_calls=tool_calls,
        costs=common.costs,
        settings=common.settings,
    )


def _models(components: AgentComponents, settings: AgentSettings) -> Models:
    return Models(
        components.chat_model, components.models, llm=settings.llm, circuit=settings.circuit
    )


def _in_charge(components: AgentComponents, *, boundary: Boundary) -> AgentsInCharge:
    return AgentsInCharge(
        components.conversation_manager, boundary=boundary, agents=components.agents
    )


def _retrieval(
    components: AgentComponents, settings: AgentSettings, *, boundary: Boundary
) -> DocumentRetrieval:
    return DocumentRetrieval(components.retriever, boundary=boundary, settings=settings.rag)


def _response_caching(
    components: AgentComponents, common: _Common, *, models: Models
) -> ResponseCaching:
    return ResponseCaching(
        components.response_cache,
        models=models,
        boundary=common.boundary,
        metrics=common.metrics,
        prices=common.prices,
        settings=common.settings,
    )


def _instructions(
    components: AgentComponents, settings: AgentSettings, *, boundary: Boundary
) -> AgentInstructions:
    return AgentInstructions(
        components.agents, boundary=boundary, otherwise=settings.llm.system_prompt
    )


def _billing(
    components: AgentComponents, common: _Common, models: Models, *, fit: ModelFit
) -> Billing:
    return Billing.of(
        components.budgets,
        models=models,
        fit=fit,
        prices=common.prices,
        costs=common.costs,
        boundary=common.boundary,
        settings=common.settings.budget,
    )


def _model_call(common: _Common, models: Models, *, fit: ModelFit, billing: Billing) -> ModelCall:
    return ModelCall(
        models,
        fit=fit,
        guards=common.output_guards,
        boundary=common.boundary,
        retries=RetryPolicy(common.settings.retry),
        metrics=common.metrics,
        billing=billing,
    )


def _guards(
    components: AgentComponents,
    settings: AgentSettings,
    *,
    boundary: Boundary,
    instructions: AgentInstructions,
) -> GuardChain:
    return GuardChain(
        components.guards,
        boundary=boundary,
        system_prompt=settings.llm.system_prompt,
        instructed_later=instructions.functions,
    )


def _history(
    components: AgentComponents, settings: AgentSettings, *, boundary: Boundary
) -> ConversationHistory:
    return ConversationHistory(
        components.conversation_manager,
        boundary=boundary,
        on_failure=settings.conversation.on_failure,
    )


def _tool_selection(components: AgentComponents, common: _Common) -> ToolOffering:
    settings = common.settings
    window = settings.llm.max_context_window_tokens - settings.llm.max_output_tokens
    return ToolOffering(
        components.tools,
        local=components.local_tools.components,
        agents=components.agents,
        selector=components.tool_selector,
        boundary=common.boundary,
        offered=common.offered_tools,
        limits=ToolLimits(
            max_tools=settings.max_tools_per_request,
            max_earlier_tokens=window // _SHARE_OF_TOOLS,
            costs=common.costs,
        ),
    )


def _approvals(components: AgentComponents, common: _Common) -> Approvals:
    settings = common.settings
    own = (tool for agent in components.agents for tool in agent.own_tools)
    return Approvals(
        components.approval_policy,
        boundary=common.boundary,
        guards=common.output_guards,
        patterns=settings.tools.needs_approval,
        tools=(*components.tools, *own),
        settings=settings.approvals,
    )


def _tool_call_checks(
    components: AgentComponents, common: _Common, tool_selection: ToolOffering
) -> ToolCallChecks:
    approvals = _approvals(components, common)
    return ToolCallChecks(
        approvals=approvals,
        reach=ApprovalReach(approvals, tool_selection),
        hooks=common.hooks,
        result_guards=ToolResultGuards(
            components.tool_result_guards,
            boundary=common.boundary,
            max_chars=common.settings.tools.max_output_chars,
        ),
    )


def _tool_call_runner(
    common: _Common, checks: ToolCallChecks, *, attachments: AttachmentRules
) -> ToolCallRunner:
    settings = common.settings
    return ToolCallRunner(
        attachments=attachments,
        agent_calls=AgentCalls(
            delegation=Delegation(max_depth=settings.agents.max_depth),
            handoff=Handoff(max_handoffs=settings.agents.max_handoffs),
        ),
        checks=checks,
        boundary=common.boundary,
        metrics=common.metrics,
        bounds=ToolCallBounds(
            timeout_s=settings.concurrency.tool_call_timeout_s,
            max_output_chars=settings.tools.max_output_chars,
        ),
    )
