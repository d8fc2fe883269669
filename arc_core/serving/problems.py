"""Errors as responses: a status, and a body of one shape, which is OpenAI's."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from arc_core.error_base import AgentErrorCode
from arc_core.errors import (
    ConfigurationError,
    DecisionError,
    FormError,
    InvalidDecisionError,
    NotPermittedError,
    RunConflictError,
    UnknownAgentError,
    UnknownRunError,
)
from arc_core.result import AgentResult

_RETRY_LATER = {"retry-after": "5"}

_STATUS = {
    AgentErrorCode.RATE_LIMITED: 429,
    AgentErrorCode.LIMIT_REACHED: 429,
    AgentErrorCode.GUARD_REJECTED: 403,
    AgentErrorCode.HOOK_REJECTED: 403,
    AgentErrorCode.OUTPUT_REJECTED: 403,
    AgentErrorCode.INVALID_INPUT: 422,
    AgentErrorCode.INVALID_RESPONSE: 422,
    AgentErrorCode.REFUSED: 422,
    AgentErrorCode.CONTEXT_TOO_LONG: 413,
    AgentErrorCode.TIMEOUT: 504,
    AgentErrorCode.OVERLOADED: 503,
    AgentErrorCode.UNAVAILABLE: 503,
    AgentErrorCode.AUTHENTICATION: 502,
}
_SAYS_WHEN_TO_RETRY = frozenset(
    {AgentErrorCode.RATE_LIMITED, AgentErrorCode.OVERLOADED, AgentErrorCode.UNAVAILABLE}
)
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_FIRST_SERVER_ERROR = 500
_AWAY = "A database that the server needs does not answer; try again later."
_KNOWN: tuple[tuple[type[Exception], int, str], ...] = (
    (UnknownAgentError, 404, "model_not_found"),
    (NotPermittedError, 403, "not_permitted"),
    (RunConflictError, 409, "conflict"),
    (InvalidDecisionError, 422, "invalid_request"),
    (DecisionError, 409, "conflict"),
    (FormError, 422, "invalid_form"),
    (ConfigurationError, 422, "invalid_request"),
    (OSError, 503, "unavailable"),
)


@dataclass(eq=False)  # not frozen: it gets a traceback, and loses it
class Problem(Exception):  # noqa: N818 -- RFC 9457 calls it that; it is raised to end a request
    """Why a request is not answered; raised by endpoints, and made a response by the server.

    Attributes:
        status: Of HTTP.
        code: For programs, such as `not_found` or an `AgentErrorCode`.
        message: For people.
        param: What of the request is wrong, such as `messages[0].role`; None is not one thing.
        headers: Further ones of the response.
    """

    status: int
    code: str
    message: str
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def type(self) -> str:
        """The kind of problem in OpenAI's words, by which its SDKs tell errors."""
        is_ours = self.status >= _FIRST_SERVER_ERROR
        return _TYPES.get(self.status, "server_error" if is_ours else "invalid_request_error")

    def body(self) -> dict[str, Any]:
        """The JSON of the response."""
        error = {"message": self.message, "type": self.type, "code": self.code, "param": self.param}
        return {"error": error}


def problem_of_result(result: AgentResult[Any]) -> Problem:
    """Why a run has no answer."""
    code = result.error_code or AgentErrorCode.UNKNOWN
    headers = {"x-run-id": quote(result.run_id)}
    if result.retry_after_s is not None:
        headers["retry-after"] = str(max(1, math.ceil(result.retry_after_s)))
    elif code in _SAYS_WHEN_TO_RETRY:
        headers |= _RETRY_LATER
    return Problem(_STATUS.get(code, 500), code.value, result.error_message or "", headers=headers)


def get_problem(error: BaseException) -> Problem:
    """Return the problem of an error; an unforeseen one tells no more than that there was one."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, UnknownRunError):  # its own text names commands that callers do not have
        return Problem(404, "not_found", f"There is no run {error.run_id!r}.")
    for kind, status, code in _KNOWN:
        if isinstance(error, kind):
            if kind is OSError:
                return Problem(status, code, _AWAY, headers=_RETRY_LATER)
            text = error.description if isinstance(error, ConfigurationError) else str(error)
            return Problem(status, code, text, param=getattr(error, "place", None))
    message = "The request failed, and the log of the server says why."
    return Problem(500, "internal_error", message)
