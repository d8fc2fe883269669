"""Any values that have a JSON form, for property tests."""

from typing import Any

from hypothesis import strategies as st
from pydantic import BaseModel

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentMode,
    AgentResult,
    AssistantMessage,
    Attachment,
    FinishReason,
    Reasoning,
    ReasoningEffort,
    ResponseFormat,
    SystemMessage,
    Text,
    TokenUsage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
    events,
)

__all__ = ["ANY", "COMMANDS", "MESSAGES", "TEXTS", "Invoice"]


class Invoice(BaseModel):
    """A schema with an import path."""

    total: int


_CHARACTERS = st.characters(exclude_categories=()) | st.sampled_from("\ud83d\ude00\x00é안")
TEXTS = st.text(_CHARACTERS, max_size=8)
_VALID = st.text(st.characters(codec="utf-8"), max_size=8)
_NUMBERS = st.floats(0, 1e9) | st.integers(0, 10**6)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | _VALID,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_VALID, inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
_OBJECTS = st.dictionaries(_VALID, _JSON, max_size=3)


def _tuples(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=3).map(tuple)


def _maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


_ATTACHMENTS = st.builds(Attachment, TEXTS, _maybe(st.binary(max_size=9)), _maybe(TEXTS))
_CONTENTS = TEXTS | _tuples(st.builds(Text, TEXTS) | _ATTACHMENTS)
_CALLS = st.builds(ToolCall, TEXTS, TEXTS, TEXTS)
_RESULTS = st.builds(ToolResult, TEXTS, TEXTS, _CONTENTS, st.sampled_from(ToolOutcome))
_REASONING = st.builds(Reasoning, TEXTS, _maybe(TEXTS), st.booleans())
MESSAGES = st.one_of(
    st.builds(SystemMessage, TEXTS),
    st.builds(UserMessage, _CONTENTS),
    st.builds(AssistantMessage, TEXTS, _tuples(_CALLS), _tuples(_REASONING), _JSON),
    st.builds(ToolResultMessage, _tuples(_RESULTS)),
)
_COUNTS = st.integers(0, 10**9)
_USAGES = st.builds(TokenUsage, _COUNTS, _COUNTS, _COUNTS, _COUNTS, _COUNTS)
_AGENT_RESULTS = st.builds(
    AgentResult,
    success=st.booleans(),
    content=_maybe(TEXTS),
    error_code=_maybe(st.sampled_from(AgentErrorCode)),
    tools_used=_tuples(TEXTS),
    token_usage=_maybe(_USAGES),
    duration_ms=_NUMBERS,
    metadata=_OBJECTS,
    output=_JSON,
    finish_reason=_maybe(st.sampled_from(FinishReason)),
    cache_hit=st.booleans(),
    dropped_messages=_COUNTS,
    messages=_tuples(MESSAGES),
    reasoning=_maybe(TEXTS),
    agent=TEXTS,
    has_output=st.booleans(),
    cost=st.none() | st.decimals(allow_nan=False, allow_infinity=False),
    not_closed=_tuples(_VALID),
)
COMMANDS = st.builds(
    AgentCommand,
    user_prompt=_VALID,
    attachments=_tuples(st.builds(Attachment, _VALID, _maybe(st.binary(max_size=9)))),
    system_prompt=_maybe(_VALID),
    mode=st.sampled_from(AgentMode),
    conversation_history=_tuples(MESSAGES),
    temperature=_maybe(st.floats(0, 2)),
    reasoning=_maybe(st.sampled_from(ReasoningEffort)),
    max_output_tokens=_maybe(st.integers(1)),
    tool_choice=_maybe(TEXTS),
    max_tool_calls=_maybe(st.integers()),
    session_id=_maybe(_VALID),
    metadata=_OBJECTS,
    response_format=st.just(ResponseFormat.JSON),
    response_schema=st.sampled_from([None, {"type": "object"}, Invoice]),
)
ANY = st.one_of(
    MESSAGES,
    COMMANDS,
    _ATTACHMENTS,
    _REASONING,
    _CALLS,
    _RESULTS,
    _USAGES,
    _AGENT_RESULTS,
    st.builds(Text, TEXTS),
    st.builds(events.AgentStarted, TEXTS, TEXTS, _maybe(TEXTS)),
    st.builds(events.AgentHandedOff, TEXTS),
    st.builds(events.TextDelta, TEXTS),
    st.builds(events.ReasoningDelta, TEXTS),
    st.builds(events.ToolCallStarted, _CALLS),
    st.builds(events.ToolCallFinished, _RESULTS, _NUMBERS),
    st.builds(events.ToolCallProgress, TEXTS, TEXTS, st.none() | _NUMBERS),
    st.builds(events.ContextCompacted, _COUNTS, _COUNTS, _COUNTS, _COUNTS),
    st.builds(events.TurnRestarted, _COUNTS),
    st.builds(events.RunFinished, _AGENT_RESULTS),
)
