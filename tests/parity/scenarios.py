"""The table of the parity suite: what a run can meet, a row each."""

from functools import partial
from typing import Any

from arc_core import (
    AgentErrorCode,
    AgentMode,
    Allowed,
    AssistantMessage,
    ChatResponse,
    Document,
    FinishReason,
    Rejected,
    RejectionCategory,
    TokenUsage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
    errors,
)
from arc_core.testing import FixedRetriever, ListConversationManager
from tests.parity import components as made
from tests.parity.scenario import DONE, Scenario

__all__ = ["SCENARIOS"]

SEOUL = ToolCall("call-1", "weather", '{"city": "Seoul"}')
BUSAN = ToolCall("call-2", "weather", '{"city": "Busan"}')
SUM = ToolCall("call-3", "add", '{"a": 1, "b": 2}')
INVENTED = ToolCall("call-4", "crystal_ball", "{}")
BROKEN = ToolCall("call-5", "broken", "{}")
HANGING = ToolCall("call-6", "hanging", "{}")
NOT_JSON = ToolCall("call-7", "weather", "{city: Seoul}")
WRONG_TYPE = ToolCall("call-8", "add", '{"a": "one", "b": 2, "c": 3}')
EARLIER = (
    UserMessage("Hello"),
    AssistantMessage("", (SEOUL,)),
    ToolResultMessage((ToolResult("call-1", "weather", "It is sunny in Seoul."),)),
    AssistantMessage("Sunny."),
)

OK, FAILED = ToolOutcome.SUCCESS, ToolOutcome.FAILED
SHORT_TOOLS = {"concurrency": {"tool_call_timeout_s": 0.01}}


def _tools(**more: Any) -> dict[str, Any]:
    tools = (made.weather, made.add, made.broken, made.hanging, made.almanac)
    return {"tools": tools, **more}


def _guarded(answer: Any) -> dict[str, Any]:
    return {"guards": (made.AnsweringGuard(answer),)}


def _hooked(hook: Any) -> dict[str, Any]:
    return _tools(hooks=(hook,))


def _ends(reason: FinishReason, text: str = DONE) -> ChatResponse:
    return ChatResponse(AssistantMessage(text), TokenUsage(3, 4), reason)


ANSWERS = {
    "text": Scenario(turns=(DONE,)),
    "standard mode": Scenario(
        turns=(DONE,), command={"mode": AgentMode.STANDARD}, components=_tools
    ),
    "cut by length": Scenario(turns=(_ends(FinishReason.LENGTH, "It is su"),), content="It is su"),
    "no usage": Scenario(turns=(ChatResponse(AssistantMessage(DONE), None, None),)),
    "blank": Scenario(turns=(" \n",), code=AgentErrorCode.INVALID_RESPONSE),
    "empty": Scenario(turns=("",), code=AgentErrorCode.INVALID_RESPONSE),
    "refused by finish reason": Scenario(
        turns=(_ends(FinishReason.CONTENT_FILTER),), code=AgentErrorCode.REFUSED
    ),
    "refused with tool calls": Scenario(
        turns=(ChatResponse(AssistantMessage("", (SEOUL,)), None, FinishReason.CONTENT_FILTER),),
        components=_tools,
        code=AgentErrorCode.REFUSED,
    ),
    "every option of the command": Scenario(
        turns=(DONE,),
        command={
            "system_prompt": "Be brief.",
            "model": "large",
            "temperature": 0.5,
            "user_id": " ann ",
            "session_id": 7,
            "tenant_id": "acme",
            "metadata": {"channel": "web"},
        },
    ),
}

TOOL_CALLS = {
    "one tool": Scenario(
        turns=((SEOUL,), DONE), components=_tools, tools_used=("weather",), outcomes=(OK,)
    ),
    "several parallel tools": Scenario(
        turns=((SUM, SEOUL, BUSAN), DONE),
        components=_tools,
        tools_used=("add", "weather"),
        outcomes=(OK, OK, OK),
    ),
    "several turns with text": Scenario(
        turns=(
            AssistantMessage("Let me look.", (SEOUL,)),
            AssistantMessage("And there.", (BUSAN,)),
            DONE,
        ),
        components=_tools,
        tools_used=("weather",),
        outcomes=(OK, OK),
    ),
    "invented tool": Scenario(
        turns=((INVENTED,), DONE), components=_tools, outcomes=(ToolOutcome.NOT_FOUND,)
    ),
    "invented beside a real one": Scenario(
        turns=((INVENTED, SEOUL), DONE),
        components=_tools,
        tools_used=("weather",),
        outcomes=(ToolOutcome.NOT_FOUND, OK),
    ),
    "failing tool": Scenario(
        turns=((BROKEN,), DONE), components=_tools, tools_used=("broken",), outcomes=(FAILED,)
    ),
    "hanging tool": Scenario(
        turns=((HANGING, SEOUL), DONE),
        components=_tools,
        settings=SHORT_TOOLS,
        tools_used=("hanging", "weather"),
        outcomes=(OK, ToolOutcome.TIMED_OUT),
    ),
    "arguments that are not JSON": Scenario(
        turns=((NOT_JSON,), DONE),
        components=_tools,
        tools_used=("weather",),
        outcomes=(ToolOutcome.INVALID_ARGUMENTS,),
    ),
    "arguments of the wrong type": Scenario(
        turns=((WRONG_TYPE,), DONE),
        components=_tools,
        tools_used=("add",),
        outcomes=(ToolOutcome.INVALID_ARGUMENTS,),
    ),
    "calls without ids": Scenario(
        turns=((ToolCall("", "add", SUM.arguments), ToolCall("", "add", SUM.arguments)), DONE),
        components=_tools,
        tools_used=("add",),
        outcomes=(OK, OK),
    ),
    "tool of a plugin": Scenario(
        turns=((ToolCall("call-9", "almanac", '{"day": "1 May"}'),), DONE),
        components=_tools,
        tools_used=("almanac",),
        outcomes=(OK,),
    ),
    "selector that raises": Scenario(
        turns=(DONE,), components=partial(_tools, tool_selector=made.BrokenSelector())
    ),
}

LIMITS = {
    "limit 0": Scenario(turns=(DONE,), command={"max_tool_calls": 0}, components=_tools),
    "limit 1 of the settings": Scenario(
        turns=((SEOUL,), DONE),
        command={"max_tool_calls": 5},
        settings={"max_tool_calls": 1},
        components=_tools,
        tools_used=("weather",),
        outcomes=(OK,),
    ),
    "over the limit within a turn": Scenario(
        turns=((SEOUL, BUSAN, SUM), DONE),
        command={"max_tool_calls": 2},
        components=_tools,
        tools_used=("weather",),
        outcomes=(OK, OK, ToolOutcome.LIMIT_REACHED),
    ),
    "calls past the limit with text": Scenario(
        turns=((SEOUL,), AssistantMessage(DONE, (BUSAN,))),
        command={"max_tool_calls": 1},
        components=_tools,
        tools_used=("weather",),
        outcomes=(OK,),
    ),
    "calls past the limit without text": Scenario(
        turns=((SEOUL,), (BUSAN,)),
        command={"max_tool_calls": 1},
        components=_tools,
        code=AgentErrorCode.INVALID_RESPONSE,
        tools_used=("weather",),
        outcomes=(OK,),
    ),
}

ADMITTANCE = {
    "guard normalises": Scenario(
        turns=(DONE,), components=partial(_guarded, Allowed("How is the weather?"))
    ),
    "guard rejects": Scenario(
        components=partial(_guarded, Rejected("No.", RejectionCategory.OFF_TOPIC)),
        code=AgentErrorCode.GUARD_REJECTED,
    ),
    "guard limits the rate": Scenario(
        components=partial(_guarded, Rejected("Slow down.", RejectionCategory.RATE_LIMITED)),
        code=AgentErrorCode.RATE_LIMITED,
    ),
    "guard raises": Scenario(
        components=partial(_guarded, RuntimeError("password=hunter2")),
        code=AgentErrorCode.GUARD_REJECTED,
    ),
    "hook rejects": Scenario(
        components=partial(_hooked, made.RejectingHook()), code=AgentErrorCode.HOOK_REJECTED
    ),
    "hook raises": Scenario(
        turns=(DONE,), components=partial(_hooked, made.BrokenHook("before_agent_start"))
    ),
    "hook raises and fails the run": Scenario(
        components=partial(_hooked, made.BrokenHook("before_agent_start", fail_on_error=True)),
        code=AgentErrorCode.HOOK_REJECTED,
    ),
    "hook blocks a tool call": Scenario(
        turns=((SUM, SEOUL), DONE),
        components=partial(_hooked, made.ToolPolicy("add")),
        tools_used=("weather",),
        outcomes=(ToolOutcome.BLOCKED, OK),
    ),
    "tool hook raises": Scenario(
        turns=((SEOUL,), DONE),
        components=partial(_hooked, made.BrokenHook("before_tool_call", "after_tool_call")),
        tools_used=("weather",),
        outcomes=(OK,),
    ),
    "tool hook raises and blocks the call": Scenario(
        turns=((SEOUL,), DONE),
        components=partial(_hooked, made.BrokenHook("before_tool_call", fail_on_error=True)),
        outcomes=(ToolOutcome.BLOCKED,),
    ),
    "tool hook raises and fails the run": Scenario(
        turns=((SEOUL, SUM),),
        components=partial(_hooked, made.BrokenHook("after_tool_call", fail_on_error=True)),
        code=AgentErrorCode.HOOK_REJECTED,
        tools_used=("weather", "add"),
        outcomes=(OK, OK),
    ),
    "overload": Scenario(
        settings={"concurrency": {"max_concurrent_requests": 1, "acquire_timeout_s": 0.01}},
        occupied=True,
        code=AgentErrorCode.OVERLOADED,
    ),
}

SOURCES = {
    "history given": Scenario(
        turns=(DONE,),
        command={"conversation_history": EARLIER},
        components=lambda: {"conversation_manager": ListConversationManager([UserMessage("x")])},
    ),
    "history stored": Scenario(
        turns=(DONE,), components=lambda: {"conversation_manager": ListConversationManager(EARLIER)}
    ),
    "history over the window": Scenario(
        turns=(DONE,),
        command={"system_prompt": "", "conversation_history": EARLIER},
        settings={"llm": {"max_context_window_tokens": 40, "max_output_tokens": 10}},
    ),
    "history broken": Scenario(
        turns=(DONE,), components=lambda: {"conversation_manager": made.BrokenConversationManager()}
    ),
    "failure kept in history": Scenario(
        turns=("",),
        settings={"conversation": {"on_failure": "user"}},
        code=AgentErrorCode.INVALID_RESPONSE,
    ),
    "documents": Scenario(
        turns=(DONE,),
        components=lambda: {"retriever": FixedRetriever([Document("Seoul is sunny.", "atlas")])},
    ),
    "retriever that raises": Scenario(
        turns=(DONE,), components=lambda: {"retriever": made.BrokenRetriever()}
    ),
    "retriever that hangs": Scenario(
        turns=(DONE,),
        settings={"rag": {"retrieval_timeout_s": 0.01}},
        components=lambda: {"retriever": made.HangingRetriever()},
    ),
}


def _fails(error: Exception, code: AgentErrorCode, *, attempts: int = 1) -> Scenario:
    return Scenario(turns=(error,) * attempts, code=code)


MODEL_ERRORS = {
    type(failure.turns[0]).__name__: failure
    for failure in (
        _fails(errors.ModelError(), AgentErrorCode.UNKNOWN),
        _fails(errors.RateLimitError(retry_after_s=0), AgentErrorCode.RATE_LIMITED, attempts=3),
        _fails(errors.QuotaExceededError(), AgentErrorCode.RATE_LIMITED),
        _fails(errors.ModelTimeoutError(), AgentErrorCode.TIMEOUT, attempts=3),
        _fails(errors.ModelUnavailableError(), AgentErrorCode.UNAVAILABLE, attempts=3),
        _fails(errors.IncompleteStreamError(), AgentErrorCode.UNAVAILABLE, attempts=3),
        _fails(errors.ModelOverloadedError(), AgentErrorCode.OVERLOADED, attempts=3),
        _fails(errors.AuthenticationError(), AgentErrorCode.AUTHENTICATION),
        _fails(errors.ContextTooLongError(), AgentErrorCode.CONTEXT_TOO_LONG),
        _fails(errors.InvalidRequestError(), AgentErrorCode.UNKNOWN),
        _fails(errors.RefusedError(), AgentErrorCode.REFUSED),
        _fails(errors.InvalidResponseError(), AgentErrorCode.INVALID_RESPONSE),
        _fails(ConnectionResetError(), AgentErrorCode.UNAVAILABLE, attempts=3),
        _fails(TimeoutError(), AgentErrorCode.TIMEOUT, attempts=3),
        _fails(ValueError("password=hunter2"), AgentErrorCode.UNKNOWN),
    )
}

FAILURES = {
    **MODEL_ERRORS,
    "retry, then success": Scenario(
        turns=(errors.ModelOverloadedError(), errors.RateLimitError(), DONE)
    ),
    "retry in the second turn": Scenario(
        turns=((SEOUL,), errors.ModelUnavailableError(), DONE),
        components=_tools,
        tools_used=("weather",),
        outcomes=(OK,),
    ),
    "failure after a tool call": Scenario(
        turns=((SEOUL,), errors.AuthenticationError()),
        components=_tools,
        code=AgentErrorCode.AUTHENTICATION,
        tools_used=("weather",),
        outcomes=(OK,),
    ),
    "deadline": Scenario(
        turns=((HANGING,),),
        components=_tools,
        settings={"concurrency": {"request_timeout_s": 0.01}},
        code=AgentErrorCode.TIMEOUT,
        tools_used=("hanging",),
    ),
    "deadline during a retry's sleep": Scenario(
        turns=(errors.RateLimitError(retry_after_s=9),),
        settings={"concurrency": {"request_timeout_s": 0.01}, "retry": {"max_delay_s": 9}},
        code=AgentErrorCode.TIMEOUT,
    ),
}

SCENARIOS: dict[str, Scenario] = {
    **ANSWERS,
    **TOOL_CALLS,
    **LIMITS,
    **ADMITTANCE,
    **SOURCES,
    **FAILURES,
}
