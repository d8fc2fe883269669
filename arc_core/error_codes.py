"""Why a run failed, for programs."""

from enum import StrEnum

__all__ = ["AgentErrorCode"]


class AgentErrorCode(StrEnum):
    """Why a run failed, for programs; `ErrorMessageResolver` has the text for people."""

    RATE_LIMITED = "RATE_LIMITED"
    TIMEOUT = "TIMEOUT"
    CONTEXT_TOO_LONG = "CONTEXT_TOO_LONG"
    TOOL_ERROR = "TOOL_ERROR"
    GUARD_REJECTED = "GUARD_REJECTED"
    HOOK_REJECTED = "HOOK_REJECTED"
    INVALID_RESPONSE = "INVALID_RESPONSE"
    REFUSED = "REFUSED"
    AUTHENTICATION = "AUTHENTICATION"
    UNAVAILABLE = "UNAVAILABLE"
    OVERLOADED = "OVERLOADED"
    INVALID_INPUT = "INVALID_INPUT"
    LIMIT_REACHED = "LIMIT_REACHED"
    OUTPUT_REJECTED = "OUTPUT_REJECTED"
    CANCELLED = "CANCELLED"
    UNKNOWN = "UNKNOWN"
