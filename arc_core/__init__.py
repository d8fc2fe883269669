"""What everyone speaks: commands, results, messages, events, errors, and every interface."""

from arc_core.agent import Agent, Instructions
from arc_core.agent_tool import AgentTool, HandoffTool
from arc_core.command import (
    AgentCommand,
    AgentMode,
    ReasoningEffort,
    ResponseFormat,
    identity_of,
    question_of,
)
from arc_core.conditions import Condition
from arc_core.content import Attachment, AttachmentError, Content, Part, Text
from arc_core.engine.components.response_filters import ResponseFilterChain
from arc_core.errors import (
    AgentErrorCode,
    ArcError,
    AuthenticationError,
    ConfigurationError,
    ContextTooLongError,
    IncompleteStreamError,
    InvalidRequestError,
    InvalidResponseError,
    ModelError,
    ModelOverloadedError,
    ModelTimeoutError,
    ModelUnavailableError,
    QuotaExceededError,
    RateLimitError,
    RefusedError,
    RunFailedError,
    SessionOwnershipError,
    ToolArgumentsError,
    ToolDefinitionError,
    ToolRetry,
)
from arc_core.events import (
    AgentEvent,
    AgentHandedOff,
    AgentStarted,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
)
from arc_core.hookspecs import Registry, hookimpl
from arc_core.injection_marks import Inject, Lazy, Named, Registered
from arc_core.interfaces.agent_executor import AgentExecutor
from arc_core.interfaces.agent_metrics import (
    AgentMetrics,
    CacheLookup,
    FaultSource,
    ModelCallRecord,
    RunRecord,
)
from arc_core.interfaces.chat_model import (
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    ToolCallDelta,
)
from arc_core.interfaces.conversation_manager import ConversationManager
from arc_core.interfaces.conversation_store import ConversationOwner, ConversationStore
from arc_core.interfaces.error_message_resolver import ErrorMessageResolver
from arc_core.interfaces.guard import (
    Allowed,
    Guard,
    GuardRequest,
    GuardResult,
    Rejected,
    RejectionCategory,
)
from arc_core.interfaces.handoff_store import HandoffStore
from arc_core.interfaces.hook import (
    Continue,
    Hook,
    HookContext,
    HookResult,
    Reject,
    ToolCallContext,
    ToolCallResult,
)
from arc_core.interfaces.optional import (
    IndexedFile,
    IndexesFiles,
    Indexing,
    ParsesArguments,
    PinnedTools,
    PinsTools,
    QualifiesTools,
    SchemaUpgrade,
    StreamsDocuments,
    TakesInjection,
    UpgradesSchema,
)
from arc_core.interfaces.response_cache import CachedResponse, ResponseCache
from arc_core.interfaces.response_filter import ResponseFilter, ResponseFilterContext
from arc_core.interfaces.retriever import Document, Retriever
from arc_core.interfaces.run_scope import RunContext, RunScope
from arc_core.interfaces.run_scopes import RunScopes
from arc_core.interfaces.summary_store import ConversationSummary, Recollection, SummaryStore
from arc_core.interfaces.token_estimator import TokenEstimator
from arc_core.interfaces.tool import Tool, ToolContext
from arc_core.interfaces.tool_selector import ToolSelector
from arc_core.interfaces.tool_source import ToolSource
from arc_core.limits import Limits
from arc_core.log import Logger
from arc_core.messages import (
    AssistantMessage,
    Message,
    Reasoning,
    SystemMessage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.places import contribution, slot
from arc_core.registration_marks import decorates, service
from arc_core.result import AgentResult
from arc_core.tools import FunctionTool, tool
from arc_core.usage import FinishReason, TokenUsage

__all__ = [
    "Agent",
    "AgentCommand",
    "AgentErrorCode",
    "AgentEvent",
    "AgentExecutor",
    "AgentHandedOff",
    "AgentMetrics",
    "AgentMode",
    "AgentResult",
    "AgentStarted",
    "AgentTool",
    "Allowed",
    "ArcError",
    "AssistantMessage",
    "Attachment",
    "AttachmentError",
    "AuthenticationError",
    "CacheLookup",
    "CachedResponse",
    "ChatDelta",
    "ChatModel",
    "ChatRequest",
    "ChatResponse",
    "Condition",
    "ConfigurationError",
    "Content",
    "ContextTooLongError",
    "Continue",
    "ConversationManager",
    "ConversationOwner",
    "ConversationStore",
    "ConversationSummary",
    "Document",
    "ErrorMessageResolver",
    "FaultSource",
    "FinishReason",
    "FunctionTool",
    "Guard",
    "GuardRequest",
    "GuardResult",
    "HandoffStore",
    "HandoffTool",
    "Hook",
    "HookContext",
    "HookResult",
    "IncompleteStreamError",
    "IndexedFile",
    "IndexesFiles",
    "Indexing",
    "Inject",
    "Instructions",
    "InvalidRequestError",
    "InvalidResponseError",
    "Lazy",
    "Limits",
    "Logger",
    "Message",
    "ModelCallRecord",
    "ModelError",
    "ModelOverloadedError",
    "ModelTimeoutError",
    "ModelUnavailableError",
    "Named",
    "ParsesArguments",
    "Part",
    "PinnedTools",
    "PinsTools",
    "QualifiesTools",
    "QuotaExceededError",
    "RateLimitError",
    "Reasoning",
    "ReasoningDelta",
    "ReasoningEffort",
    "Recollection",
    "RefusedError",
    "Registered",
    "Registry",
    "Reject",
    "Rejected",
    "RejectionCategory",
    "ResponseCache",
    "ResponseFilter",
    "ResponseFilterChain",
    "ResponseFilterContext",
    "ResponseFormat",
    "Retriever",
    "RunContext",
    "RunFailedError",
    "RunFinished",
    "RunRecord",
    "RunScope",
    "RunScopes",
    "SchemaUpgrade",
    "SessionOwnershipError",
    "StreamsDocuments",
    "SummaryStore",
    "SystemMessage",
    "TakesInjection",
    "Text",
    "TextDelta",
    "TokenEstimator",
    "TokenUsage",
    "Tool",
    "ToolArgumentsError",
    "ToolCall",
    "ToolCallContext",
    "ToolCallDelta",
    "ToolCallFinished",
    "ToolCallProgress",
    "ToolCallResult",
    "ToolCallStarted",
    "ToolContext",
    "ToolDefinitionError",
    "ToolOutcome",
    "ToolResult",
    "ToolResultMessage",
    "ToolRetry",
    "ToolSelector",
    "ToolSource",
    "UpgradesSchema",
    "UserMessage",
    "contribution",
    "decorates",
    "hookimpl",
    "identity_of",
    "question_of",
    "service",
    "slot",
    "tool",
]
