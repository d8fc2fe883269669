"""The checks of a prompt before a run.

The engine asks every guard once per run, before anything else, in ascending `order`; the first
rejection ends the run. Guards fail closed: one that raises rejects. The text of attached files is
part of what they see; one that replaces it is asked about the prompt and each file alone, too.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from arc_core.components.extension_points import contribution
from arc_core.interfaces.run_scope import RunPart, RunScope
from arc_core.messages.content import Attachment


class RejectionCategory(StrEnum):
    """Why a guard says no."""

    RATE_LIMITED = "rate_limited"
    INVALID_INPUT = "invalid_input"
    PROMPT_INJECTION = "prompt_injection"
    OFF_TOPIC = "off_topic"
    UNAUTHORIZED = "unauthorized"
    SENSITIVE_DATA = "sensitive_data"
    SYSTEM_ERROR = "system_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRequest(RunPart):
    """The command and prompt that a guard decides on.

    Attributes:
        text: The prompt, and behind it the text of the plain-text files beside it, as normalised by
            the guards before this one.
        agent: The name of the agent that is asked.
        user_id: Who asks; `anonymous` if the command has no user.
        session_id: The conversation, if any.
        tenant_id: The user's company or team, if any.
        metadata: The command's.
        attachments: What the user attached, text files too; their media types are as the caller
            said, and what stands behind an address is not known.
        system_prompt: The agent's instructions, without retrieved context; None if a function
            writes them, which is called only for a prompt that is let in.
        scope: By which `get` finds components; None in tests that need none.
    """

    text: str
    user_id: str
    agent: str = "default"
    session_id: str | None = None
    tenant_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    system_prompt: str | None = None
    scope: RunScope | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Allowed:
    """The text passes.

    Attributes:
        text: What passes in its place; None keeps it. Of a prompt, it is for later guards (and the
            model, by `guard.forward_normalized`); of what a model or a tool says, it is what is
            read.
    """

    text: str | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """The text does not pass.

    Attributes:
        reason: One sentence for the person who asked; it is shown as it is.
        category: For programs. Of a prompt, RATE_LIMITED becomes the error code of that name,
            SYSTEM_ERROR (what the guard needs is away) becomes UNAVAILABLE, all others
            GUARD_REJECTED; what a model says is OUTPUT_REJECTED.
        retry_after_s: After how many seconds the same prompt may be let in; None if that is not
            known. Callers over HTTP are told it by `Retry-After`.
    """

    reason: str
    category: RejectionCategory
    retry_after_s: float | None = None


GuardResult = Allowed | Rejected
"""The decision of a guard."""


@contribution("guards", group="arc.guards", enabled_by="guard.enabled", fails_closed=True)
@runtime_checkable
class Guard(Protocol):
    """Decides whether a prompt is let in. Orders below 100 are Arc's own."""

    order: int = 100

    @abstractmethod
    async def check(self, request: GuardRequest) -> GuardResult:
        """Let the prompt in or keep it out; raising keeps it out too."""
