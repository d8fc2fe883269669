"""Tools, and sources of them.

The engine calls a tool once per tool call of the model, concurrently for the calls of one turn,
after the arguments have been validated against `parameters`. Tools fail soft: an exception or a
time-out becomes a result that the model reads.
"""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from arc_core.components.extension_points import contribution, kept_by_wrappers, variant_for
from arc_core.interfaces.run_scope import RunPart, RunScope


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext(RunPart):
    """The run a tool is called in.

    Attributes:
        run_id: A UUID.
        call_id: The vendor's id of the call; vendors repeat and omit it.
        idempotency_key: Names the call of this run, also if a later process makes it again; what
            has an effect elsewhere hands it on.
        user_id: Who asks; `anonymous` if the command has no user.
        session_id: The conversation, if any.
        tenant_id: The user's company or team, if any.
        metadata: The command's, with what hooks added.
        scope: By which `get` finds components; None in tests that need none.
        reporter: Takes what `progress` is told; None if nothing reads the events of the run.
    """

    run_id: str
    call_id: str
    user_id: str
    session_id: str | None = None
    tenant_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    idempotency_key: str = ""
    scope: RunScope | None = field(default=None, repr=False, compare=False)
    reporter: Callable[[str, float | None], Awaitable[None]] | None = field(
        default=None, repr=False, compare=False
    )

    async def progress(self, message: str, fraction: float | None = None) -> None:
        """Tell how far the call is: a `ToolCallProgress` for those who read the run's events.

        Never waits for a reader: one who does not keep up misses reports. What comes after the end
        of the call is dropped.

        Args:
            message: For people, not for the model; secrets are masked, and 500 characters kept.
            fraction: What part is done; below 0 is 0, above 1 is 1, and None says nothing.

        Raises:
            TypeError: The message is not a text, or the fraction not a number.
        """
        if self.reporter is not None:
            await self.reporter(message, fraction)


@kept_by_wrappers("needs_approval", "once", "qualified_name", "asks_agents")
@contribution("tools", group="arc.tools", listed_by="tools.builtin", is_named_by_members=True)
@runtime_checkable
class Tool(Protocol):
    """Something the model may call. `@tool` makes one from a function.

    Attributes:
        name: Unique among the tools of a request; letters, digits, `_` and `-`, at most 64.
        description: Tells the model when to call it.
        parameters: JSON Schema of the arguments, of type `object`.
        timeout_s: Seconds a call may take; None is `concurrency.tool_call_timeout_s`.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    timeout_s: float | None

    @abstractmethod
    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Do the work.

        Args:
            arguments: Validated against `parameters`.
            context: The run.

        Returns:
            Text as it is for the model, anything else becomes compact JSON.
        """
        ...


@variant_for(Tool)
@runtime_checkable
class ToolSource(Protocol):
    """Tools that come and go while an application runs, such as those of another process.

    A source is contributed as a tool is. The engine asks it once per run, before it selects; its
    tools come after those of plugins, in the order of their sources. Fails open: a source that
    raises costs the run its tools.
    """

    @abstractmethod
    def tools(self) -> Sequence[Tool]:
        """The tools that can be called now; the same object as before if nothing has changed.

        Called on the event loop before each run: it answers at once, from what it knows.
        """
        ...
