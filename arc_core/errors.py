"""Every error Arc raises on purpose.

```
ArcError
├── ModelError                    a chat model could not answer; `code` is what people are told
│   ├── RateLimitError            429: the vendor asks to slow down                  retried
│   │   └── QuotaExceededError    429 for good: quota or spend limit is used up
│   ├── ModelTimeoutError         the vendor did not answer in time                  retried
│   ├── ModelUnavailableError     5xx, refused or lost connection                    retried
│   │   └── IncompleteStreamError the stream ended before the vendor's end           retried
│   ├── ModelOverloadedError      529: the vendor is overloaded                      retried
│   ├── AuthenticationError       401, 403: the credentials are missing or wrong
│   ├── ContextTooLongError       the request does not fit the model's window
│   ├── InvalidRequestError       400, 404, 422: the request itself is wrong
│   ├── RefusedError              the vendor declined to answer
│   └── InvalidResponseError      the answer cannot be used
├── ToolDefinitionError           a function cannot become a tool
├── ToolArgumentsError            a model's arguments do not fit the tool's schema
├── ToolRetry                     a tool tells the model what to do differently
├── OutputRetry                   a check tells the model what is wrong with its answer
├── RunFailedError                a run has no answer
├── RunSuspendedError             a run waits for a person, or goes on in another process
├── SessionOwnershipError         a conversation belongs to another user
├── AmbiguousSessionError         an id names conversations of several tenants
├── CredentialError               there is no credential, and a login would not help
├── FormError                     a value has no JSON form, or a text is not the form of one
├── UnknownRunError               no run has this id
├── UnknownAgentError             no agent has this name
├── NotPermittedError             the key of a caller is not for what was asked
│   └── DecisionRightError        a person or key has no right to decide about a tool call
├── RunConflictError              a run of this id asks something else
├── DecisionError                 a tool call does not wait for this decision
│   └── InvalidDecisionError      a decision does not fit what a person was asked
├── RetryError                    a run cannot be taken up again
├── ForkError                     a run cannot be forked
└── ConfigurationError            a setting, a plugin or the wiring is wrong; says what to do
    ├── ApplicationStateError     an application or a run is used before its start, or started twice
    └── DepsNotGivenError         a run was not handed the value that a component of it needs
```

A chat model translates its vendor's exceptions into these, `raise … from` the original; the engine
reads `code` and `retryable` off the type and never the text.
"""

from collections.abc import Sequence

from arc_core.error_base import (
    AgentErrorCode,
    AmbiguousSessionError,
    ArcError,
    ConfigurationError,
    CredentialError,
    ForkError,
    FormError,
    SessionOwnershipError,
)
from arc_core.requests import Request
from arc_core.result import RunFailedError, RunSuspendedError

__all__ = [
    "AgentErrorCode",
    "AmbiguousSessionError",
    "ApplicationStateError",
    "ArcError",
    "AuthenticationError",
    "ConfigurationError",
    "ContextTooLongError",
    "CredentialError",
    "DecisionError",
    "DecisionRightError",
    "DepsNotGivenError",
    "ForkError",
    "FormError",
    "IncompleteStreamError",
    "InvalidDecisionError",
    "InvalidRequestError",
    "InvalidResponseError",
    "ModelError",
    "ModelOverloadedError",
    "ModelTimeoutError",
    "ModelUnavailableError",
    "NotPermittedError",
    "OutputRetry",
    "QuotaExceededError",
    "RateLimitError",
    "RefusedError",
    "RetryError",
    "RunConflictError",
    "RunFailedError",
    "RunSuspendedError",
    "SessionOwnershipError",
    "ToolArgumentsError",
    "ToolDefinitionError",
    "ToolRetry",
    "UnknownAgentError",
    "UnknownRunError",
]


class ModelError(ArcError):
    """A chat model could not answer.

    Attributes:
        code: The code of the run that ends with this error.
        retryable: Whether the same request may succeed a moment later.
        retry_after_s: Seconds the vendor asked to wait, if it said so.
    """

    code: AgentErrorCode = AgentErrorCode.UNKNOWN
    retryable: bool = False

    def __init__(self, message: str = "", *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RateLimitError(ModelError):
    """The vendor asks to slow down. Action: wait; lower `concurrency.max_concurrent_requests`."""

    code = AgentErrorCode.RATE_LIMITED
    retryable = True


class QuotaExceededError(RateLimitError):
    """The account's quota or spend limit is used up. Action: raise it with the vendor."""

    retryable = False


class ModelTimeoutError(ModelError):
    """The vendor did not answer in time. Action: a smaller request, or a longer time-out."""

    code = AgentErrorCode.TIMEOUT
    retryable = True


class ModelUnavailableError(ModelError):
    """The vendor failed (5xx) or could not be reached. Action: check address and status page."""

    code = AgentErrorCode.UNAVAILABLE
    retryable = True


class IncompleteStreamError(ModelUnavailableError):
    """A stream broke off before the vendor's end, or was not an event stream at all."""


class ModelOverloadedError(ModelError):
    """The vendor is overloaded (529). Action: try again later."""

    code = AgentErrorCode.OVERLOADED
    retryable = True


class AuthenticationError(ModelError):
    """Credentials are missing, wrong or lack a permission. Action: check the API key."""

    code = AgentErrorCode.AUTHENTICATION


class ContextTooLongError(ModelError):
    """The request exceeds the model's window. Action: lower `llm.max_context_window_tokens`."""

    code = AgentErrorCode.CONTEXT_TOO_LONG


class InvalidRequestError(ModelError):
    """The vendor rejects the request itself, an unknown model for one. Action: read the log."""


class RefusedError(ModelError):
    """The vendor declined to answer for reasons of content."""

    code = AgentErrorCode.REFUSED


class InvalidResponseError(ModelError):
    """The answer is blank, malformed or of the wrong format, or a response filter refuses it."""

    code = AgentErrorCode.INVALID_RESPONSE


class ToolDefinitionError(ArcError):
    """A function cannot become a tool.

    Attributes:
        tool: The function's qualified name.
        problem: What is wrong with it.
        remedy: What to write instead.
    """

    def __init__(self, *, tool: str, problem: str, remedy: str) -> None:
        super().__init__(tool, problem, remedy)
        self.tool, self.problem, self.remedy = tool, problem, remedy

    def __str__(self) -> str:
        return f"{self.tool} cannot be a tool: {self.problem}. {self.remedy}"


class ToolArgumentsError(ArcError):
    """Arguments of a tool call do not fit the tool's schema.

    Attributes:
        problems: One sentence per field, written for the model that made the call.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(*problems)
        self.problems = tuple(problems)

    def __str__(self) -> str:
        return "; ".join(self.problems)


class ToolRetry(ArcError):  # noqa: N818 -- not a fault: what the model is told
    """A tool raises it to tell the model what went wrong and what to try instead.

    The one exception whose text the model reads. The call has the outcome `FAILED`; secrets in the
    text are masked and a long text is cut. A blank text tells the model only that the tool failed.

    Attributes:
        text: Written for the model, as in "No customer 'an'. Did you mean 'ann'?".
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.text = text


class OutputRetry(ArcError):  # noqa: N818 -- not a fault: what the model is told
    """An `output_check` of an agent returns or raises it to have the model answer again.

    It reads the text, masked and cut, once; a second bad answer is an `INVALID_RESPONSE`.

    Attributes:
        text: Written for the model, as in "There is no flight AZ 1. Look up the flights first.".
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.text = text


class UnknownRunError(ArcError):
    """No run has this id, or it was removed some days after its end.

    Attributes:
        run_id: The id that was asked for.
    """

    def __init__(self, run_id: str) -> None:
        super().__init__(run_id)
        self.run_id = run_id

    def __str__(self) -> str:
        return (
            f"there is no run {self.run_id!r:.200}; app.submit(…) and `arc runs list` tell the ids"
        )


class UnknownAgentError(ArcError):
    """No agent has this name.

    Attributes:
        agent: The name that was asked for.
        known: The names that there are.
    """

    def __init__(self, agent: str, *, known: Sequence[str]) -> None:
        super().__init__(agent)
        self.agent, self.known = agent, tuple(known)

    def __str__(self) -> str:
        return f"there is no agent {self.agent!r}; these can be asked: {', '.join(self.known)}"


class NotPermittedError(ArcError):
    """The key of a caller is not for what was asked.

    Attributes:
        key: The name of the key, which is not the key.
        problem: What it is not for.
    """

    def __init__(self, problem: str, *, key: str) -> None:
        super().__init__(problem)
        self.problem, self.key = problem, key

    def __str__(self) -> str:
        return f"the key {self.key!r} is not for {self.problem}"


class DecisionRightError(NotPermittedError):
    """A person or a key has no right to decide about a tool call.

    Attributes:
        key: The name of the person or of the key.
        tool: The tool that waits; empty if it is about no one call.
        remedy: Where the right is given.
    """

    def __init__(self, problem: str, *, key: str, remedy: str, tool: str = "") -> None:
        super().__init__(problem, key=key)
        self.tool, self.remedy = tool, remedy

    def __str__(self) -> str:
        what = f"a call of the tool {self.tool!r}" if self.tool else "tool calls"
        return f"{self.key!r} may not decide about {what}: {self.problem}; {self.remedy}"


class RunConflictError(ArcError):
    """A run of this id exists, and asks something else.

    Attributes:
        run_id: The id that is taken.
    """

    def __init__(self, run_id: str) -> None:
        super().__init__(run_id)
        self.run_id = run_id

    def __str__(self) -> str:
        return (
            f"the run {self.run_id!r} exists and has another command; "
            "submit the same command, or choose another id"
        )


class DecisionError(ArcError):
    """A tool call does not wait for this decision.

    Attributes:
        run_id: The run.
        key: The call, as `approve/4`.
        problem: Why not; if it was decided already, by which person and when.
    """

    def __init__(self, problem: str, *, run_id: str, key: str) -> None:
        super().__init__(problem)
        self.problem, self.run_id, self.key = problem, run_id, key

    def __str__(self) -> str:
        return f"{self.key} of the run {self.run_id!r} cannot be decided: {self.problem}"


class InvalidDecisionError(DecisionError):
    """A decision does not fit what was asked; the request waits on for one that does.

    Attributes:
        request: What waits.
        place: What of the decision does not fit, `answer` or `arguments`; empty if the request
            takes decisions of another class.
    """

    def __init__(self, problem: str, *, request: Request, place: str = "") -> None:
        super().__init__(problem, run_id=request.run_id, key=request.key)
        self.request, self.place = request, place


class RetryError(ArcError):
    """A run cannot be taken up again: it has not failed.

    Attributes:
        run_id: The run.
        problem: Where it is instead.
    """

    def __init__(self, problem: str, *, run_id: str) -> None:
        super().__init__(problem)
        self.problem, self.run_id = problem, run_id

    def __str__(self) -> str:
        return (
            f"the run {self.run_id!r} cannot be taken up again: {self.problem}; "
            "only a run that has failed can be"
        )


class ApplicationStateError(ConfigurationError):
    """An application or run is used before its start, or started twice. Action: `async with`."""


class DepsNotGivenError(ConfigurationError):
    """A run was not handed the value that a component of it needs. Action: `execute(…, deps=…)`."""
