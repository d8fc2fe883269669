"""Changes to an answer before the caller gets it.

The chain calls every filter once per successful `execute()`, in ascending `order`, with the
previous one's output. Fails open: a filter that raises is skipped, unless it says by an
`InvalidResponseError` that the answer must not be handed out. Filters are idempotent, since a
cached answer passes them again. A structured answer that they have changed is read again.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.components.extension_points import contribution


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFilterContext:
    """The run whose answer is filtered.

    Attributes:
        command: The command, with the prompt as the model saw it.
        tools_used: In first-call order.
        duration_ms: Since the run was accepted, in milliseconds.
    """

    command: AgentCommand
    tools_used: tuple[str, ...] = ()
    duration_ms: float = 0.0


@contribution(
    "response_filters", group="arc.response_filters", enabled_by="response.filters_enabled"
)
@runtime_checkable
class ResponseFilter(Protocol):
    """Changes an answer. Orders 1 to 99 are Arc's own."""

    order: int = 100

    @abstractmethod
    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        """The content to hand on.

        Raises:
            InvalidResponseError: The answer must not be handed out; the run fails.
        """
