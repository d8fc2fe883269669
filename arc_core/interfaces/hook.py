"""Hooks around a run and around each tool call.

The engine calls every hook in ascending `order`, at four moments. Hooks fail open: one that raises
is logged and the next one runs, unless it sets `fail_on_error`. `after_agent_complete` is called
exactly once for every run that an entry point accepted.

A run that a journal keeps may leave its process before its end, and go on in another one. There are
two more moments for such runs, at which hooks drop and take up again what they hold in a process.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from arc_core.components.extension_points import contribution, kept_by_wrappers
from arc_core.interfaces.run_scope import RunPart, RunScope
from arc_core.messages import ToolOutcome
from arc_core.requests import Decision
from arc_core.result import AgentResult
from arc_core.text.masking import mask_secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class HookContext(RunPart):
    """The run a hook is called for.

    Attributes:
        run_id: A UUID.
        agent: The name of the agent that was asked; there is none of it for a run that ends with
            `INVALID_INPUT` for it.
        user_id: Who asks; `anonymous` if the command has no user.
        session_id: The conversation, if any.
        tenant_id: The user's company or team, if any.
        user_prompt: The prompt as the model sees it.
        started_at: When the run was accepted, in UTC.
        parent_run_id: The id of the run of another agent that has started it; None if a program
            has.
        metadata: Starts as a copy of the command's; hooks of one run may leave notes for each other
            in it.
        is_recorded: Whether a journal keeps the run: what hooks put into `metadata` is there in
            every later life of the run, too, and must be JSON.
        scope: By which `get` finds components; None in tests that need none.
    """

    run_id: str
    user_id: str
    user_prompt: str
    started_at: datetime
    agent: str = "default"
    session_id: str | None = None
    tenant_id: str | None = None
    parent_run_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    is_recorded: bool = False
    scope: RunScope | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallContext:
    """The tool call a hook is called for.

    Attributes:
        agent_context: The run it belongs to.
        tool_name: As the model wrote it; the tool need not exist.
        arguments: Parsed, not yet validated; empty if the model wrote no JSON object (the tool
            does not run then).
        call_index: Its place among all calls of the run, from 0.
        call_id: As the vendor names the call; empty or repeated if the vendor is careless.
        decision: Of the person who was asked whether the tool may be called; None if no one was.
    """

    agent_context: HookContext
    tool_name: str
    arguments: Mapping[str, Any]
    call_index: int
    call_id: str = ""
    decision: Decision | None = None

    def masked_arguments(self) -> Mapping[str, Any]:
        """The arguments with the values of secret-looking names (`api_key`) replaced."""
        return mask_secrets(self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallResult:
    """The end of a tool call.

    Attributes:
        outcome: For programs.
        content: What the model reads.
        duration_ms: Of the tool alone; 0 if it did not run.
    """

    outcome: ToolOutcome
    content: str
    duration_ms: float


@dataclass(frozen=True, slots=True)
class Continue:
    """Go on; returning None says the same."""


@dataclass(frozen=True, slots=True)
class Reject:
    """Stop the run, or skip the tool call.

    Attributes:
        reason: One sentence for the person who asked, or for the model whose call is skipped.
    """

    reason: str


HookResult = Continue | Reject
"""The decision of a hook before a run or a tool call."""


@kept_by_wrappers("fail_on_error")
@contribution("hooks", group="arc.hooks")
class Hook:
    """Override the methods you need.

    Attributes:
        order: Lower runs first; below 100 are Arc's own.
        fail_on_error: Whether an exception of this hook rejects or fails the run instead of being
            logged only.
    """

    order: int = 100
    fail_on_error: bool = False

    async def before_agent_start(self, context: HookContext) -> HookResult | None:
        """Before history and model; a `Reject` ends the run."""

    async def before_tool_call(self, context: ToolCallContext) -> HookResult | None:
        """Before each tool call, concurrently within a turn; a `Reject` skips this call."""

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        """After each tool call, whatever came of it."""

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """After the run, whatever came of it; cannot change the result.

        Args:
            context: The run.
            response: What the caller gets; of a run that was cancelled, which has no caller left,
                a failure with the code `CANCELLED`.
        """

    async def before_agent_resume(self, context: HookContext) -> None:
        """In the place of `before_agent_start`, for a run that was let in by an earlier process.

        Also if it was cancelled meanwhile, and `after_agent_complete` follows at once.

        `metadata` has what was put there before.
        """

    async def after_agent_suspend(self, context: HookContext) -> None:
        """In the place of `after_agent_complete`, if the run leaves this process without its end.

        It waits for a person, its process closes, or it goes on elsewhere already. It may not have
        come to `before_agent_start`; of its tool calls, some may not have come to an end.
        """
