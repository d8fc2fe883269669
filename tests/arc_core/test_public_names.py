"""The public names of the core: other people's programs rely on them."""

import arc_core

FIXED = frozenset({
    "AgentCommand", "AgentErrorCode", "AgentEvent", "AgentExecutor", "AgentMetrics", "AgentMode",
    "AgentResult", "Allowed", "ArcError", "AssistantMessage", "CachedResponse",
    "ChatDelta", "ChatModel", "ChatRequest", "ChatResponse", "Continue", "ConversationManager",
    "ConversationStore", "Document", "ErrorMessageResolver", "FinishReason", "Guard",
    "GuardRequest", "GuardResult", "Hook", "HookContext", "HookResult", "Registry", "Reject",
    "Rejected", "RejectionCategory", "ResponseCache", "ResponseFilter", "ResponseFilterChain",
    "ResponseFilterContext", "ResponseFormat", "Retriever", "RunFinished", "SystemMessage",
    "TextDelta", "TokenEstimator", "TokenUsage", "Tool", "ToolCall", "ToolCallContext",
    "ToolCallDelta", "ToolCallFinished", "ToolCallProgress", "ToolCallResult",
    "ToolCallStarted", "ToolContext", "ToolOutcome", "ToolResult", "ToolResultMessage",
    "ToolSelector", "UserMessage", "hookimpl",
    "tool",
})  # fmt: skip


def test_the_fixed_names_are_there() -> None:
    """No name that programs rely on has gone."""
    assert set(arc_core.__all__) >= FIXED


def test_every_public_name_can_be_imported() -> None:
    """`__all__` promises nothing that is not there."""
    assert [name for name in arc_core.__all__ if not hasattr(arc_core, name)] == []
