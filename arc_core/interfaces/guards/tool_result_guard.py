"""The checks of a tool's result before the model reads it.

The engine asks every tool result guard in ascending `order` for each tool call that was made,
before the model, the history, a hook or an event has the result: what a tool or an MCP server
returned, what it says of its failure, and the answer of another agent. Not asked about the engine's
own texts, and in a durable run not again in a later life. The first rejection withholds the result;
the run goes on. Tool result guards fail closed: of one that raises, hangs or returns something
else, the result is withheld.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from arc_core.components.extension_points import contribution, resembles
from arc_core.interfaces.guards.guard import Guard, GuardResult
from arc_core.interfaces.run_scope import RunPart, RunScope
from arc_core.messages.content import Attachment


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultRequest(RunPart):
    """The result that a tool result guard decides on.

    Attributes:
        tool_name: As the model called it.
        text: All that the model would read, as the guards before this one have left it: the texts
            of the result and of the plain-text files in it, at most `context.keep_result_chars`
            and the files.
        arguments: Of the call, as far as they can be read; empty if they are not a JSON object.
        run_id: A UUID.
        user_id: Who asks; `anonymous` if the command has no user.
        agent: The name of the agent that calls.
        tenant_id: The user's company or team, if any.
        session_id: The conversation, if any.
        metadata: The command's, with what hooks and tools added.
        call_id: As the vendor calls the tool call.
        source: Where the tool comes from, if it is one of several places: `mcp:shop` for a tool of
            the MCP server `shop`. None for the application's own.
        attachments: The other files in the result, in their order: images, sounds, documents.
        user_prompt: What the run was asked for; empty if no run called the tool.
        scope: By which `get` finds components; None in tests that need none.
    """

    tool_name: str
    text: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    run_id: str = ""
    user_id: str = "anonymous"
    agent: str = "default"
    tenant_id: str | None = None
    session_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    call_id: str = ""
    source: str | None = None
    attachments: tuple[Attachment, ...] = ()
    user_prompt: str = ""
    scope: RunScope | None = field(default=None, repr=False, compare=False)


@resembles(Guard)
@contribution("tool_result_guards", group="arc.tool_result_guards", fails_closed=True)
@runtime_checkable
class ToolResultGuard(Protocol):
    """Decides whether the model reads a tool's result. Orders below 100 are Arc's own.

    Attributes:
        order: Lower is asked first.
    """

    order: int = 100

    @abstractmethod
    async def check(self, request: ToolResultRequest) -> GuardResult:
        """Let the result through, as it is or replaced, or withhold it; raising withholds it, too.

        A replacement stands for the whole text; attachments that are not plain text stay behind
        it. The model is told that the result was withheld, and not the reason.
        """
