"""The table: what the failure of each kind of component means for a run.

`docs/architecture.md` prints it. A component fails when it raises, when it takes longer than its
time-out, and when it returns something of another type than its interface says.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal
from enum import StrEnum
from functools import partial

from arc_core.errors import CredentialError, InvalidResponseError, OutputRetry, ToolRetry
from arc_core.interfaces.agent_metrics import FaultSource
from arc_core.interfaces.budgets import BudgetRefused, Reserved
from arc_core.interfaces.conversations.compactor import Compaction
from arc_core.interfaces.credentials import Credential, LoginNeeded
from arc_core.interfaces.evaluation.scorer import Score
from arc_core.interfaces.guards.guard import Allowed, Rejected
from arc_core.interfaces.hook import Continue, Reject
from arc_core.interfaces.models.chat_model import ChatResponse
from arc_core.interfaces.models.response_cache import CachedResponse
from arc_core.interfaces.tools.approval_policy import Ask, Run
from arc_core.requests import Deny


class Fails(StrEnum):
    """The ways in which a run takes the failure of a component."""

    OPEN = "open"
    """The run goes on with what stands in."""

    CLOSED = "closed"
    """The run ends."""

    CLOSED_FOR_CALL = "closed for the call"
    """The tool is not called or its result not read, and the run goes on."""

    BY_HOOK = "open; closed with `fail_on_error`"


_COMPONENT_TIMEOUT = "concurrency.component_timeout_s"
_FINALIZE_TIMEOUT = "concurrency.finalize_timeout_s"


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """One row of the table; a row says what differs from the defaults of the columns.

    Attributes:
        calls: The methods of the interface, as `Guard.check`.
        logger: Below `arc`, which part of Arc tells of a failure.
        fails: What becomes of the run.
        stands_in: What the run goes on with, or how it ends.
        event: What the log says at ERROR; None leaves it to the caller.
        timeout: The setting that bounds a call, by its dotted path; None if the deadline of the run
            is the only bound, or if the method is not async.
        fault: What the metrics count; None if another record tells of the failure.
        returns: Types a result may have.
        lets_out: Exceptions that the interface allows; they are not failures.
    """

    calls: tuple[str, ...]
    _: KW_ONLY
    logger: str
    fails: Fails = Fails.OPEN
    stands_in: str = "nothing; the answer stays good"
    event: str | None = None
    timeout: str | None = _COMPONENT_TIMEOUT
    fault: FaultSource | None = None
    returns: tuple[type, ...] = (object,)
    lets_out: tuple[type[Exception], ...] = ()


_on_hook = partial(Policy, logger="hooks", event="hook failed", fault=FaultSource.HOOK)
_on_history = partial(Policy, logger="history", fault=FaultSource.HISTORY_LOAD)
_on_saved_history = partial(
    Policy, logger="history", timeout=_FINALIZE_TIMEOUT, fault=FaultSource.HISTORY_SAVE
)
_on_budgets = partial(Policy, logger="budgets", fault=FaultSource.BUDGETS)
_on_tools = partial(Policy, logger="tools", fault=FaultSource.TOOL_SELECTION)
_on_retrieval = partial(
    Policy, logger="retrieval", timeout="rag.retrieval_timeout_s", fault=FaultSource.RETRIEVAL
)
_on_model = partial(Policy, logger="model", fault=FaultSource.CHAT_MODEL)
_on_agent = partial(
    Policy, logger="agents", fails=Fails.CLOSED, stands_in="the run ends with `UNAVAILABLE`"
)
_on_approval = partial(
    Policy,
    logger="approvals",
    fails=Fails.CLOSED_FOR_CALL,
    stands_in="the call is denied, and the model told so",
)

GUARD = Policy(
    ("Guard.check",),
    fails=Fails.CLOSED,
    stands_in="the run ends with `GUARD_REJECTED`",
    logger="guards",
    event="guard failed and rejects",
    fault=FaultSource.GUARD,
    returns=(Allowed, Rejected),
)
OUTPUT_GUARD = Policy(
    ("OutputGuard.check",),
    fails=Fails.CLOSED,
    stands_in="the run ends with `OUTPUT_REJECTED`",
    logger="output_guards",
    event="output guard failed and rejects",
    fault=FaultSource.OUTPUT_GUARD,
    returns=(Allowed, Rejected),
)
HOOK_BEFORE = _on_hook(
    ("Hook.before_agent_start", "Hook.before_tool_call"),
    fails=Fails.BY_HOOK,
    stands_in="`Continue`; with `fail_on_error` a `Reject` with a general reason",
    returns=(Continue, Reject, type(None)),
)
HOOK_AFTER_TOOL_CALL = _on_hook(
    ("Hook.after_tool_call",),
    fails=Fails.BY_HOOK,
    stands_in="nothing; with `fail_on_error` the run ends with `HOOK_REJECTED`",
)
HOOK_BEFORE_RESUME = _on_hook(
    ("Hook.before_agent_resume",), stands_in="nothing; the next hook is told"
)
HOOK_AFTER_RUN = _on_hook(
    ("Hook.after_agent_complete", "Hook.after_agent_suspend"),
    stands_in="nothing; the next hook is told",
    timeout=_FINALIZE_TIMEOUT,
)
INSTRUCTIONS = _on_agent(
    ("Agent.instructions",),
    event="instructions could not be written, the run ends",
    fault=FaultSource.INSTRUCTIONS,
    returns=(str,),
)
OUTPUT_CHECK = _on_agent(
    ("Agent.output_check",),
    event="an answer could not be checked, the run ends",
    fault=FaultSource.OUTPUT_CHECK,
    returns=(OutputRetry, type(None)),
)
HISTORY_LOAD = _on_history(
    ("ConversationManager.load_history",),
    stands_in="no history",
    event="history could not be loaded, the run goes on without",
)
HISTORY_SAVE = _on_saved_history(
    ("ConversationManager.save_history", "ConversationManager.save_streaming_history"),
    event="history could not be saved",
)
HANDOFFS_LOAD = _on_history(
    ("RemembersHandoffs.load_handoffs",),
    stands_in="the agent that is asked",
    event="handoffs could not be loaded, the agent that is asked answers",
    returns=(Mapping,),
)
HANDOFFS_SAVE = _on_saved_history(
    ("RemembersHandoffs.save_handoffs",), event="handoffs could not be saved"
)
OFFERED_TOOLS_LOAD = _on_history(
    ("RemembersOfferedTools.load_offered_tools",),
    stands_in="the tools that this process has offered",
    event="offered tools could not be loaded, the request may begin anew",
    returns=(Collection,),
)
OFFERED_TOOLS_SAVE = _on_saved_history(
    ("RemembersOfferedTools.save_offered_tools",), event="offered tools could not be saved"
)
COMPACTION = Policy(
    ("Compactor.compact",),
    stands_in='clearing, the compactor of `context.compaction = "clearing"`',
    logger="history",
    event="the compactor failed, and old results are cleared",
    timeout="context.compaction_timeout_s",
    fault=FaultSource.COMPACTION,
    returns=(Compaction,),
)
RETRIEVAL = _on_retrieval(
    ("Retriever.retrieve",),
    stands_in="no documents",
    event="retrieval failed, the run goes on without documents",
)
RERANKING = _on_retrieval(
    ("Reranker.rerank",),
    stands_in="the documents in the order of the retriever",
    event="reranking failed, the documents keep their order",
)
TOOL_SELECTION = _on_tools(
    ("ToolSelector.select",), stands_in="all tools", event="tool selector failed"
)
TOOL_CATALOGUE = _on_tools(
    ("SearchesTools.write_catalogue",),
    stands_in="all tools",
    event="the catalogue of tools could not be written",
    returns=(str,),
)
TOOL_SEARCH = _on_tools(
    ("SearchesTools.find",),
    stands_in="a result that tells the model of the failure",
    event="the search for tools failed",
    returns=(Sequence,),
)
TOOL_SOURCE = _on_tools(
    ("ToolSource.tools",),
    stands_in="no tools of this source",
    event="tool source failed",
    timeout=None,
    returns=(Sequence,),
)
USER_TOOLS = _on_tools(
    ("UserToolSource.list_for",),
    stands_in="none of the tools that are for the user alone",
    event="the tools of a user could not be listed",
    timeout="concurrency.tool_call_timeout_s",
    returns=(Sequence,),
    lets_out=(CredentialError, ToolRetry),
)
RESPONSE_CACHE = Policy(
    ("ResponseCache.get", "ResponseCache.put"),
    stands_in="an empty cache",
    logger="response_cache",
    event="response cache failed, the run goes on without it",
    timeout="cache.timeout_s",
    fault=FaultSource.RESPONSE_CACHE,
    returns=(CachedResponse, type(None)),
)
CHAT_MODEL = Policy(
    ("ChatModel.complete", "ChatModel.stream"),
    fails=Fails.CLOSED,
    stands_in="another attempt, then the run ends with the error's code",
    logger="model",
    timeout="concurrency.request_timeout_s",
    returns=(ChatResponse,),
)
ATTACHMENTS = _on_model(
    ("AcceptsAttachments.accepts", "AcceptsAddresses.accepts_address"),
    fails=Fails.CLOSED,
    stands_in="no, and so the run ends with `INVALID_INPUT`",
    event="the model could not say which attachments it takes",
    timeout=None,
    returns=(bool,),
)
REQUEST_ENCODING = _on_model(
    ("EncodesRequests.encode_request",),
    stands_in="no digest of what is sent in the record of the run",
    event="the model could not encode a request for its record",
    timeout=None,
    returns=(bytes,),
)
CHAT_STREAM_CLOSE = _on_model(
    ("aclose() of a model's stream",),
    event="the stream of the model could not be closed",
    timeout=_FINALIZE_TIMEOUT,
)
TOOL = Policy(
    ("Tool.call", "ParsesArguments.parse_arguments"),
    stands_in="a result that tells the model of the failure",
    logger="tool_calls",
    timeout="concurrency.tool_call_timeout_s",
)
APPROVAL_POLICY = _on_approval(
    ("ApprovalPolicy.decide",),
    event="approval policy failed, the call is denied",
    returns=(Run, Ask, Deny),
)
APPROVAL_MARK = _on_approval(
    ("needs_approval of a Tool",),
    event="needs_approval of a tool failed, the call is denied",
    returns=(bool,),
)
CREDENTIALS = Policy(
    ("Credentials.get",),
    fails=Fails.CLOSED_FOR_CALL,
    stands_in="a `CredentialError`, by which the call of the tool fails",
    logger="credentials",
    event="credentials failed, and a tool does without",
    returns=(Credential, LoginNeeded),
    lets_out=(CredentialError,),
)
TOOL_RESULT_GUARD = Policy(
    ("ToolResultGuard.check",),
    fails=Fails.CLOSED_FOR_CALL,
    stands_in="a result that tells the model that the tool's was withheld",
    logger="tool_result_guards",
    event="tool result guard failed, the result is withheld",
    fault=FaultSource.TOOL_RESULT_GUARD,
    returns=(Allowed, Rejected),
)
RESPONSE_FILTER = Policy(
    ("ResponseFilter.filter",),
    stands_in="the content as it was",
    logger="response_filters",
    event="response filter failed and was skipped",
    fault=FaultSource.RESPONSE_FILTER,
    returns=(str,),
    lets_out=(InvalidResponseError,),
)
TOKEN_ESTIMATOR = Policy(
    ("TokenEstimator.estimate",),
    stands_in="a token for every two characters",
    logger="tokens",
    event="token estimator failed",
    timeout=None,
    fault=FaultSource.TOKEN_ESTIMATOR,
    returns=(int,),
)
MODEL_PRICES = Policy(
    ("ModelPrices.cost_of",),
    stands_in="the price is not known",
    logger="model",
    event="the prices of models could not be asked",
    timeout=None,
    fault=FaultSource.MODEL_PRICES,
    returns=(Decimal, type(None)),
)
BUDGETS_RESERVE = _on_budgets(
    ("Budgets.reserve",),
    fails=Fails.CLOSED,
    stands_in="the run ends with `UNAVAILABLE`; with `budget.on_failure = allow` nothing bounds it",
    event="the budgets could not be asked",
    returns=(Reserved, BudgetRefused, type(None)),
)
BUDGETS_EXTEND = _on_budgets(
    ("Budgets.extend",),
    stands_in="what the run holds already, while that is kept; else as of `Budgets.reserve`",
    event="the budgets could not be told what a run has spent",
    returns=(Reserved, BudgetRefused),
)
BUDGETS_SETTLE = _on_budgets(
    ("Budgets.settle",),
    stands_in="nothing; it is tried again for a while, and what the run holds returns in time",
    event="what a run has spent could not be settled",
    timeout=_FINALIZE_TIMEOUT,
)
ERROR_MESSAGE_RESOLVER = Policy(
    ("ErrorMessageResolver.resolve",),
    stands_in="the name of the error code",
    logger="runs",
    event="error message resolver failed",
    timeout=None,
    fault=FaultSource.ERROR_MESSAGE_RESOLVER,
    returns=(str,),
)
AGENT_METRICS = Policy(
    ("AgentMetrics.record_…",),
    stands_in="nothing",
    logger="metrics",
    event="metrics failed",
    timeout=None,
)
RUN_COMPONENT = Policy(
    ("close() of a component of the run",),
    stands_in="nothing; the answer stays good, and `not_closed` of the result has the name",
    logger="lifecycle",
    timeout=_FINALIZE_TIMEOUT,
    fault=FaultSource.RUN_COMPONENT,
)
SCORER = Policy(
    ("Scorer.score",),
    fails=Fails.CLOSED,
    stands_in="the evaluation of the case cannot tell",
    logger="evaluation",
    event="scorer failed, the case cannot be judged",
    timeout="concurrency.request_timeout_s",
    returns=(Score,),
)
CASE_DEPS = Policy(
    ("CaseDeps.make_case_deps",),
    fails=Fails.CLOSED,
    stands_in="the evaluation of the case cannot tell; a replay ends",
    logger="evaluation",
    event="the deps of a trial could not be made, the case cannot be judged",
)

POLICIES: tuple[Policy, ...] = tuple(each for each in vars().values() if isinstance(each, Policy))
"""All of the above, in their order."""
