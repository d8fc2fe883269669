"""Whole responses: their fields, status and failure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arc_core import AgentErrorCode, AgentResult, FinishReason
from arc_core.serving import Problem
from arc_plugins.surfaces.openai.frames import make_metadata, make_usage

_PREFIX = "resp_"
_INCOMPLETE = {
    FinishReason.LENGTH: "max_output_tokens",
    FinishReason.CONTENT_FILTER: "content_filter",
}
_CODES = {
    AgentErrorCode.RATE_LIMITED: "rate_limit_exceeded",
    AgentErrorCode.LIMIT_REACHED: "rate_limit_exceeded",
    AgentErrorCode.CONTEXT_TOO_LONG: "invalid_prompt",
    AgentErrorCode.GUARD_REJECTED: "invalid_prompt",
    AgentErrorCode.HOOK_REJECTED: "invalid_prompt",
    AgentErrorCode.INVALID_INPUT: "invalid_prompt",
    AgentErrorCode.REFUSED: "invalid_prompt",
}
"""The SDK knows few codes; those that have none of their own are failures of the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFields:
    """The fields of a response that are known from its beginning, at a Unix time in seconds."""

    run_id: str
    model: str
    created_at: int
    session_id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, Any] = field(default_factory=dict)


def run_id_in(response_id: str, *, param: str) -> str:
    """Return the run of a response, or raise a 404 if that is not the id of one."""
    if not response_id.startswith(_PREFIX):
        raise Problem(404, "not_found", f"There is no response {response_id!r}.", param=param)
    return response_id.removeprefix(_PREFIX)


def make_response(
    facts: ResponseFields,
    *,
    status: str,
    output: Sequence[Mapping[str, object]] = (),
    **fields: object,
) -> dict[str, object]:
    """A response."""
    return {
        "id": f"{_PREFIX}{facts.run_id}",
        "created_at": facts.created_at,
        "model": facts.model,
        "object": "response",
        "output": output,
        "parallel_tool_calls": True,
        "status": status,
        "tool_choice": "auto",
        "tools": [],
        "conversation": None if facts.session_id is None else {"id": facts.session_id},
        "metadata": {**facts.metadata, "run_id": facts.run_id},
        **facts.further,
        **fields,
    }


def fields_of_result(result: AgentResult) -> dict[str, Any]:
    """The fields of a response that the end of a run fills."""
    fields: dict[str, Any] = {"status": "completed", "metadata": make_metadata(result)}
    if result.token_usage is not None:
        fields["usage"] = make_usage(result.token_usage, read="input", written="output")
    if result.waiting:
        return fields
    if not result.success:
        code = result.error_code or AgentErrorCode.UNKNOWN
        is_cancelled = code is AgentErrorCode.CANCELLED
        fields["status"] = "cancelled" if is_cancelled else "failed"
        error = {"code": _CODES.get(code, "server_error"), "message": result.error_message or ""}
        fields["error"] = error
    elif (reason := _INCOMPLETE.get(result.finish_reason or FinishReason.STOP)) is not None:
        fields["status"] = "incomplete"
        fields["incomplete_details"] = {"reason": reason}
    return fields
