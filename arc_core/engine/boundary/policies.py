"""The table: what the failure of each kind of component means for a run.

`docs/architecture.md` prints it. A component fails when it raises, when it takes longer than its
time-out, and when it returns something of another type than its interface says.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from arc_core.approvals import Deny
from arc_core.errors import InvalidResponseError, OutputRetry
from arc_core.interfaces.agent_metrics import FaultSource
from arc_core.interfaces.approval_policy import Ask, Run
from arc_core.interfaces.budgets import BudgetRefused, Reserved
from arc_core.interfaces.chat_model import ChatResponse
from arc_core.interfaces.guard import Allowed, Rejected
from arc_core.interfaces.hook import Continue, Reject
from arc_core.interfaces.response_cache import CachedResponse

__all__ = ["POLICIES", "Fails", "Policy"]


class Fails(StrEnum):
    """What becomes of the run when a component fails."""

    OPEN = "open"
    """The run goes on with what stands in."""

    CLOSED = "closed"
    """The run ends."""

    CLOSED_FOR_CALL = "closed for the call"
    """The tool is not called or its result not read, and the run goes on."""

    BY_HOOK = "open; closed with `fail_on_error`"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Policy:
    """One row of the table.

    Attributes:
        calls: The methods of the interface, as `Guard.check`.
        fails: What becomes of the run.
        stands_in: What the run goes on with, or how it ends.
        logger: Below `arc`, which part of Arc tells of a failure.
        event: What the log says at ERROR; None leaves it to the caller.
        timeout: The setting that bounds a call, by its dotted path; None if the deadline of the run
            is the only bound, or if the method is not async.
        fault: What the metrics count; None if another record tells of the failure.
        returns: Types a result may have.
        lets_out: Exceptions that the interface allows; they are not failures.
    """

    calls: tuple[str, ...]
    fails: Fails
    stands_in: str
    logger: str
    event: str | None
    timeout: str | None = None
    fault: FaultSource | None = None
    returns: tuple[type, ...] = (object,)
    lets_out: tuple[type[Exception], ...] = ()


_COMPONENT_TIMEOUT = "concurrency.component_timeout_s"
_FINALIZE_TIMEOUT = "concurrency.finalize_timeout_s"

GUARD = Policy(
    calls=("Guard.check",),
    fails=Fails.CLOSED,
    stands_in="the run ends with `GUARD_REJECTED`",
    logger="guards",
    event="guard failed and rejects",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.GUARD,
    returns=(Allowed, Rejected),
)
OUTPUT_GUARD = Policy(
    calls=("OutputGuard.check",),
    fails=Fails.CLOSED,
    stands_in="the run ends with `OUTPUT_REJECTED`",
    logger="output_guards",
    event="output guard failed and rejects",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.OUTPUT_GUARD,
    returns=(Allowed, Rejected),
)
HOOK_BEFORE = Policy(
    calls=("Hook.before_agent_start", "Hook.before_tool_call"),
    fails=Fails.BY_HOOK,
    stands_in="`Continue`; with `fail_on_error` a `Reject` with a general reason",
    logger="hooks",
    event="hook failed",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.HOOK,
    returns=(Continue, Reject, type(None)),
)
HOOK_AFTER_TOOL_CALL = Policy(
    calls=("Hook.after_tool_call",),
    fails=Fails.BY_HOOK,
    stands_in="nothing; with `fail_on_error` the run ends with `HOOK_REJECTED`",
    logger="hooks",
    event="hook failed",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.HOOK,
)
HOOK_BEFORE_RESUME = Policy(
    calls=("Hook.before_agent_resume",),
    fails=Fails.OPEN,
    stands_in="nothing; the next hook is told",
    logger="hooks",
    event="hook failed",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.HOOK,
)
HOOK_AFTER_RUN = Policy(
    calls=("Hook.after_agent_complete", "Hook.after_agent_suspend"),
    fails=Fails.OPEN,
    stands_in="nothing; the next hook is told",
    logger="hooks",
    event="hook failed",
    timeout=_FINALIZE_TIMEOUT,
    fault=FaultSource.HOOK,
)
INSTRUCTIONS = Policy(
    calls=("Agent.instructions",),
    fails=Fails.CLOSED,
    stands_in="the run ends with `UNAVAILABLE`",
    logger="agents",
    event="instructions could not be written, the run ends",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.INSTRUCTIONS,
    returns=(str,),
)
OUTPUT_CHECK = Policy(
    calls=("Agent.output_check",),
    fails=Fails.CLOSED,
    stands_in="the run ends with `UNAVAILABLE`",
    logger="agents",
    event="an answer could not be checked, the run ends",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.OUTPUT_CHECK,
    returns=(OutputRetry, type(None)),
)
HISTORY_LOAD = Policy(
    calls=("ConversationManager.load_history",),
    fails=Fails.OPEN,
    stands_in="no history",
    logger="history",
    event="history could not be loaded, the run goes on without",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.HISTORY_LOAD,
)
HISTORY_SAVE = Policy(
    calls=("ConversationManager.save_history", "ConversationManager.save_streaming_history"),
    fails=Fails.OPEN,
    stands_in="nothing; the answer stays good",
    logger="history",
    event="history could not be saved",
    timeout=_FINALIZE_TIMEOUT,
    fault=FaultSource.HISTORY_SAVE,
)
HANDOFFS_LOAD = Policy(
    calls=("RemembersHandoffs.load_handoffs",),
    fails=Fails.OPEN,
    stands_in="the agent that is asked",
    logger="history",
    event="handoffs could not be loaded, the agent that is asked answers",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.HISTORY_LOAD,
    returns=(Mapping,),
)
HANDOFFS_SAVE = Policy(
    calls=("RemembersHandoffs.save_handoffs",),
    fails=Fails.OPEN,
    stands_in="nothing; the answer stays good",
    logger="history",
    event="handoffs could not be saved",
    timeout=_FINALIZE_TIMEOUT,
    fault=FaultSource.HISTORY_SAVE,
)
OFFERED_TOOLS_LOAD = Policy(
    calls=("RemembersOfferedTools.load_offered_tools",),
    fails=Fails.OPEN,
    stands_in="the tools that this process has offered",
    logger="history",
    event="offered tools could not be loaded, the request may begin anew",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.HISTORY_LOAD,
    returns=(Collection,),
)
OFFERED_TOOLS_SAVE = Policy(
    calls=("RemembersOfferedTools.save_offered_tools",),
    fails=Fails.OPEN,
    stands_in="nothing; the answer stays good",
    logger="history",
    event="offered tools could not be saved",
    timeout=_FINALIZE_TIMEOUT,
    fault=FaultSource.HISTORY_SAVE,
)
RETRIEVAL = Policy(
    calls=("Retriever.retrieve",),
    fails=Fails.OPEN,
    stands_in="no documents",
    logger="retrieval",
    event="retrieval failed, the run goes on without documents",
    timeout="rag.retrieval_timeout_s",
    fault=FaultSource.RETRIEVAL,
)
TOOL_SELECTION = Policy(
    calls=("ToolSelector.select",),
    fails=Fails.OPEN,
    stands_in="all tools",
    logger="tools",
    event="tool selector failed",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.TOOL_SELECTION,
)
TOOL_SOURCE = Policy(
    calls=("ToolSource.tools",),
    fails=Fails.OPEN,
    stands_in="no tools of this source",
    logger="tools",
    event="tool source failed",
    fault=FaultSource.TOOL_SELECTION,
    returns=(Sequence,),
)
RESPONSE_CACHE = Policy(
    calls=("ResponseCache.get", "ResponseCache.put"),
    fails=Fails.OPEN,
    stands_in="an empty cache",
    logger="response_cache",
    event="response cache failed, the run goes on without it",
    timeout="cache.timeout_s",
    fault=FaultSource.RESPONSE_CACHE,
    returns=(CachedResponse, type(None)),
)
CHAT_MODEL = Policy(
    calls=("ChatModel.complete", "ChatModel.stream"),
    fails=Fails.CLOSED,
    stands_in="another attempt, then the run ends with the error's code",
    logger="model",
    event=None,
    timeout="concurrency.request_timeout_s",
    returns=(ChatResponse,),
)
ATTACHMENTS = Policy(
    calls=("AcceptsAttachments.accepts", "AcceptsAddresses.accepts_address"),
    fails=Fails.CLOSED,
    stands_in="no, and so the run ends with `INVALID_INPUT`",
    logger="model",
    event="the model could not say which attachments it takes",
    fault=FaultSource.CHAT_MODEL,
    returns=(bool,),
)
CHAT_STREAM_CLOSE = Policy(
    calls=("aclose() of a model's stream",),
    fails=Fails.OPEN,
    stands_in="nothing; the answer stays good",
    logger="model",
    event="the stream of the model could not be closed",
    timeout=_FINALIZE_TIMEOUT,
    fault=FaultSource.CHAT_MODEL,
)
TOOL = Policy(
    calls=("Tool.call", "ParsesArguments.parse_arguments"),
    fails=Fails.OPEN,
    stands_in="a result that tells the model of the failure",
    logger="tool_calls",
    event=None,
    timeout="concurrency.tool_call_timeout_s",
)
APPROVAL_POLICY = Policy(
    calls=("ApprovalPolicy.decide",),
    fails=Fails.CLOSED_FOR_CALL,
    stands_in="the call is denied, and the model told so",
    logger="approvals",
    event="approval policy failed, the call is denied",
    timeout=_COMPONENT_TIMEOUT,
    returns=(Run, Ask, Deny),
)
APPROVAL_MARK = Policy(
    calls=("needs_approval of a Tool",),
    fails=Fails.CLOSED_FOR_CALL,
    stands_in="the call is denied, and the model told so",
    logger="approvals",
    event="needs_approval of a tool failed, the call is denied",
    timeout=_COMPONENT_TIMEOUT,
    returns=(bool,),
)
TOOL_RESULT_GUARD = Policy(
    calls=("ToolResultGuard.check",),
    fails=Fails.CLOSED_FOR_CALL,
    stands_in="a result that tells the model that the tool's was withheld",
    logger="tool_result_guards",
    event="tool result guard failed, the result is withheld",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.TOOL_RESULT_GUARD,
    returns=(Allowed, Rejected),
)
RESPONSE_FILTER = Policy(
    calls=("ResponseFilter.filter",),
    fails=Fails.OPEN,
    stands_in="the content as it was",
    logger="response_filters",
    event="response filter failed and was skipped",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.RESPONSE_FILTER,
    returns=(str,),
    lets_out=(InvalidResponseError,),
)
TOKEN_ESTIMATOR = Policy(
    calls=("TokenEstimator.estimate",),
    fails=Fails.OPEN,
    stands_in="a token for every two characters",
    logger="tokens",
    event="token estimator failed",
    fault=FaultSource.TOKEN_ESTIMATOR,
    returns=(int,),
)
MODEL_PRICES = Policy(
    calls=("ModelPrices.cost_of",),
    fails=Fails.OPEN,
    stands_in="the price is not known",
    logger="model",
    event="the prices of models could not be asked",
    fault=FaultSource.MODEL_PRICES,
    returns=(Decimal, type(None)),
)
BUDGETS_RESERVE = Policy(
    calls=("Budgets.reserve",),
    fails=Fails.CLOSED,
    stands_in="the run ends with `UNAVAILABLE`; with `budget.on_failure = allow` nothing bounds it",
    logger="budgets",
    event="the budgets could not be asked",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.BUDGETS,
    returns=(Reserved, BudgetRefused, type(None)),
)
BUDGETS_EXTEND = Policy(
    calls=("Budgets.extend",),
    fails=Fails.OPEN,
    stands_in="what the run holds already, while that is kept; else as of `Budgets.reserve`",
    logger="budgets",
    event="the budgets could not be told what a run has spent",
    timeout=_COMPONENT_TIMEOUT,
    fault=FaultSource.BUDGETS,
    returns=(Reserved, BudgetRefused),
)
BUDGETS_SETTLE = Policy(
    calls=("Budgets.settle",),
    fails=Fails.OPEN,
    stands_in="nothing; it is tried again for a while, and what the run holds returns in time",
    logger="budgets",
    event="what a run has spent could not be settled",
    timeout=_FINALIZE_TIMEOUT,
    fault=FaultSource.BUDGETS,
)
ERROR_MESSAGE_RESOLVER = Policy(
    calls=("ErrorMessageResolver.resolve",),
    fails=Fails.OPEN,
    stands_in="the name of the error code",
    logger="runs",
    event="error message resolver failed",
    fault=FaultSource.ERROR_MESSAGE_RESOLVER,
    returns=(str,),
)
AGENT_METRICS = Policy(
    calls=("AgentMetrics.record_…",),
    fails=Fails.OPEN,
    stands_in="nothing",
    logger="metrics",
    event="metrics failed",
)
RUN_COMPONENT = Policy(
    calls=("close() of a component of the run",),
    fails=Fails.OPEN,
    stands_in="nothing; the answer stays good, and `not_closed` of the result has the name",
    logger="lifecycle",
    event=None,
    timeout=_FINALIZE_TIMEOUT,
    fault=FaultSource.RUN_COMPONENT,
)

POLICIES: tuple[Policy, ...] = tuple(each for each in vars().values() if isinstance(each, Policy))
"""All of the above, in their order."""
