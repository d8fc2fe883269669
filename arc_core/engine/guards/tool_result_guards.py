"""Every tool result guard must let a result through before anything reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.guards.input_guards import ask_guard
from arc_core.interfaces.guards.guard import Rejected, RejectionCategory
from arc_core.interfaces.guards.tool_result_guard import ToolResultGuard, ToolResultRequest
from arc_core.interfaces.hook import HookContext
from arc_core.interfaces.tools.tool import Tool
from arc_core.log import get_logger
from arc_core.messages import ToolOutcome
from arc_core.messages.content import Attachment, Content, Text, cut_text
from arc_core.messages.media_types import is_text

logger = get_logger("tool_result_guards")


class ToolResultGuards:
    """Asks the guards in order; fails closed for the call.

    Args:
        guards: Sorted by order.
        max_chars: Of what replaces a text; the rest is cut.
    """

    def __init__(
        self, guards: Sequence[ToolResultGuard], *, boundary: Boundary, max_chars: int
    ) -> None:
        self._guards = guards
        self._boundary = boundary
        self._max_chars = max_chars

    def __bool__(self) -> bool:
        """Return True if there are any."""
        return bool(self._guards)

    async def check(
        self,
        tool: Tool,
        result: tuple[Content, ToolOutcome],
        *,
        context: HookContext,
        call_id: str,
        arguments: Mapping[str, Any],
    ) -> tuple[Content, ToolOutcome]:
        """Return the result that the model reads instead, and the outcome of the call."""
        content, outcome = result
        request = _request(tool, content, context, call_id=call_id, arguments=arguments)
        given = request.text
        for guard in self._guards:
            text = await self._ask(guard, request)
            if text is None:
                withheld = f"Error: The result of the tool '{tool.name}' was withheld by a guard"
                return withheld, ToolOutcome.BLOCKED
            if text is not request.text:
                request = replace(request, text=text)
        if request.text == given:
            return content, outcome
        return self._with_text(request), outcome

    async def _ask(self, guard: ToolResultGuard, request: ToolResultRequest) -> str | None:
        """The text as the guard leaves it; None if it withholds it."""
        result = await ask_guard(
            guard, request, policy=policies.TOOL_RESULT_GUARD, boundary=self._boundary
        )
        if isinstance(result, str):
            return result
        if isinstance(result, Rejected):
            self._report(guard, result, request)
        return None

    def _report(self, guard: ToolResultGuard, result: Rejected, request: ToolResultRequest) -> None:
        event, log = "tool result withheld", logger.info
        if result.category is RejectionCategory.SYSTEM_ERROR:
            self._boundary.count(policies.TOOL_RESULT_GUARD)
            event, log = f"{event}, since the guard cannot do its work", logger.warning
        log(
            event,
            guard=type(guard).__name__,
            category=str(result.category),
            tool=request.tool_name,
            source=request.source,
        )

    def _with_text(self, request: ToolResultRequest) -> Content:
        # No vendor would take half a character, as a guard may leave one.
        whole = request.text.encode(errors="replace").decode()
        text = cut_text(whole, max_chars=self._max_chars)
        return (Text(text), *request.attachments) if request.attachments else text


def _request(
    tool: Tool,
    content: Content,
    context: HookContext,
    *,
    call_id: str,
    arguments: Mapping[str, Any],
) -> ToolResultRequest:
    text, attachments = _read(content)
    return ToolResultRequest(
        tool_name=tool.name,
        text=text,
        call_id=call_id,
        arguments=arguments,
        run_id=context.run_id,
        user_id=context.user_id,
        agent=context.agent,
        tenant_id=context.tenant_id,
        session_id=context.session_id,
        metadata=context.metadata,
        source=_find_source(tool),
        attachments=attachments,
        user_prompt=context.user_prompt,
        scope=context.scope,
    )


def _find_source(tool: Tool) -> str | None:
    """The place of a tool that `QualifiesTools` tells apart: `mcp:shop` of `mcp:shop/find`."""
    qualified: object = getattr(tool, "qualified_name", None)
    if not isinstance(qualified, str) or "/" not in qualified:
        return None
    return qualified.partition("/")[0]


def _read(content: Content) -> tuple[str, tuple[Attachment, ...]]:
    """The text of all parts, and the attachments that are not text."""
    if isinstance(content, str):
        return content, ()
    texts: list[str] = []
    others: list[Attachment] = []
    for part in content:
        if isinstance(part, Text):
            texts.append(part.text)
        elif part.data is not None and is_text(part.media_type):
            texts.append(f"\n{part.data.decode(errors='replace')}\n")
        else:
            others.append(part)
    return "".join(texts), tuple(others)
