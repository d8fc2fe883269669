"""The result of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, cast

from typing_extensions import TypeVar

from arc_core.error_base import AgentErrorCode, ArcError
from arc_core.messages import Message
from arc_core.requests import Request
from arc_core.usage import FinishReason, TokenUsage

OutputT = TypeVar("OutputT", default=Any)
"""The type of a structured answer; anything if none was named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResult(Generic[OutputT]):
    """The end of a run.

    Attributes:
        success: Whether there is an answer.
        content: The answer's text; None for a failure.
        error_code: Why it failed; None for a success. Only hooks see `CANCELLED`.
        error_message: The failure in words for people.
        tools_used: Names of the tools that were found and called, once each, in first-call order.
        token_usage: Sum over all model calls of the run, and of the runs of other agents that it
            has started; None if the vendor reported none.
        duration_ms: From entry to return, in milliseconds.
        run_id: A UUID; every log line of the run carries it.
        metadata: What callers, hooks and tools put there.
        output: The parsed and validated value of a structured answer; None for a text.
        has_output: Whether the answer is structured, so that `output` is its value, None too.
        partial_content: What had been handed out before a failure.
        finish_reason: Why the model stopped; None if the vendor does not say, or was not asked.
        cache_hit: Whether the answer comes from the response cache.
        dropped_messages: How many messages of the conversation did not fit into the last request.
        history_available: Whether the conversation so far could be loaded.
        messages: What this run added to the conversation: the user's message, tool exchanges, and
            last the answer, if there is one. Empty if the run was not let in.
        reasoning: What the model thought in all its turns, a blank line between its blocks; None if
            it showed nothing.
        agent: Who answered.
        model: The model that was asked last: its name in `llm.models`, else the vendor's; None if
            no model was asked, or if the chat model does not tell its default.
        provider: The vendor that was asked; None if no model was asked, or if the chat model does
            not tell it.
        cost: Of all model calls together, at the prices of the settings and not rounded; None if no
            call was made, or if the price or the tokens of one are not known.
        waiting: What people have to decide before the run goes on; it has neither an answer nor an
            error code yet then.
        not_closed: The names of the run's components that could not be closed; the answer stays
            good.
        retry_after_s: After how many seconds the same may succeed; None if that is not known.
    """

    success: bool
    content: str | None = None
    error_code: AgentErrorCode | None = None
    error_message: str | None = None
    tools_used: tuple[str, ...] = ()
    token_usage: TokenUsage | None = None
    duration_ms: float = 0.0
    run_id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    output: OutputT = None  # type: ignore[assignment]  # of a failure or a text, see unwrap()
    has_output: bool = False
    partial_content: str | None = None
    finish_reason: FinishReason | None = None
    cache_hit: bool = False
    dropped_messages: int = 0
    history_available: bool = True
    messages: tuple[Message, ...] = ()
    reasoning: str | None = None
    agent: str = "default"
    model: str | None = None
    provider: str | None = None
    cost: Decimal | None = None
    not_closed: tuple[str, ...] = ()
    waiting: tuple[Request, ...] = ()
    retry_after_s: float | None = None

    def unwrap(self) -> OutputT:
        """The answer: `output`, or the text if the answer is not structured.

        Raises:
            RunFailedError: There is none.
        """
        if not self.success:
            raise RunFailedError(self)
        if self.has_output or self.output is not None:
            return self.output
        return cast("OutputT", self.content)


class RunFailedError(ArcError):
    """A run has ended without an answer.

    `AgentResult.unwrap()` raises it. Components of the run get it at their `yield`, to roll back
    what they did. Action: let it pass, or read the code.

    Attributes:
        result: Has the error code, and the failure in words for people.
    """

    def __init__(self, result: AgentResult[Any]) -> None:
        super().__init__(result)
        self.result = result

    def __str__(self) -> str:
        result = self.result
        if result.waiting:
            tools = ", ".join(request.tool for request in result.waiting)
            return f"the run {result.run_id} has no answer yet: {tools} waits for app.decide(…)"
        return f"the run {result.run_id} failed with {result.error_code}"


class RunSuspendedError(ArcError):
    """A run leaves its process without an end, and goes on later or elsewhere.

    Components of the run get it at their `yield`. What their transactions have not committed by
    then is rolled back when it passes. Action: let it pass, or commit and leave the `yield`.

    Attributes:
        run_id: A UUID.
        waiting: What people have to decide before the run goes on; empty if its process closes.
    """

    def __init__(self, run_id: str, waiting: Sequence[Request] = ()) -> None:
        super().__init__(run_id, waiting)
        self.run_id, self.waiting = run_id, tuple(waiting)

    def __str__(self) -> str:
        if not self.waiting:
            return f"the run {self.run_id} is suspended, and goes on in another process"
        tools = ", ".join(request.tool for request in self.waiting)
        return f"the run {self.run_id} is suspended: {tools} waits for app.decide(…)"
