"""The guards of what a model reads: prompts, the text of files beside them, and tool results."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.run_state import ActiveRun, RunStoppedError, get_run_facts
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.guards.guard import Guard, GuardRequest, Rejected, RejectionCategory
from arc_core.interfaces.guards.tool_result_guard import ToolResultGuard, ToolResultRequest
from arc_core.interfaces.hook import HookContext
from arc_core.interfaces.tools.tool import Tool
from arc_core.log import get_logger
from arc_core.messages import ToolOutcome
from arc_core.messages.content import Attachment, Content, Text, cut_text
from arc_core.messages.media_types import is_text

logger = get_logger("guards")

# Neither is the fault of the prompt, so the user is not told to change it.
_CODES = {
    RejectionCategory.RATE_LIMITED: AgentErrorCode.RATE_LIMITED,
    RejectionCategory.SYSTEM_ERROR: AgentErrorCode.UNAVAILABLE,
}


_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Admitted:
    """The prompt and the files that guards have let in.

    Attributes:
        prompt: As they have normalised it.
        attachments: Text files as they have normalised them, and the others, in their order.
    """

    prompt: str
    attachments: tuple[Attachment, ...] = ()


class GuardChain:
    """Asks the guards in order; fails closed."""

    def __init__(
        self,
        guards: Sequence[Guard],
        *,
        boundary: Boundary,
        system_prompt: str,
        instructed_later: Collection[str | None] = (),
    ) -> None:
        self._guards = guards
        self._boundary = boundary
        self._system_prompt = system_prompt
        self._instructed_later = instructed_later

    async def admit(self, run: ActiveRun) -> Admitted:
        """The prompt and the files as the guards have normalised them.

        Each guard is asked once about all text together. One that replaces it is asked about the
        prompt and each file alone, too, so that each of them stays what it is.

        Raises:
            RunStoppedError: A guard rejects or raises.
        """
        command = run.command
        given = [command.user_prompt, *_read_texts(command.attachments)]
        if not self._guards:
            return Admitted(command.user_prompt, command.attachments)
        texts, request = given, self._request(run, _join(given))
        for guard in self._guards:
            text = await self._ask(guard, request)
            if text == request.text:
                continue
            texts = [text] if len(texts) == 1 else await self._ask_each(guard, request, texts)
            request = replace(request, text=_join(texts))
        attachments = command.attachments
        if texts[1:] != given[1:]:
            attachments = tuple(_with_texts(attachments, given[1:], texts[1:]))
        return Admitted(texts[0], attachments)

    async def _ask_each(
        self, guard: Guard, request: GuardRequest, texts: Sequence[str]
    ) -> list[str]:
        """The texts as a guard leaves each of them; what is blank is not asked about."""
        return [
            await self._ask(guard, replace(request, text=text)) if text.strip() else text
            for text in texts
        ]

    async def _ask(self, guard: Guard, request: GuardRequest) -> str:
        result = await self._boundary.ask_guard(policies.GUARD, guard, request)
        if isinstance(result, Rejected):
            raise self._rejection(guard, result)
        if isinstance(result, Failed):
            raise RunStoppedError(AgentErrorCode.GUARD_REJECTED) from result.error
        return result

    def _request(self, run: ActiveRun, text: str) -> GuardRequest:
        command = run.command
        system_prompt = command.system_prompt
        if system_prompt is None and command.agent not in self._instructed_later:
            system_prompt = self._system_prompt
        return GuardRequest(
            text=text,
            attachments=command.attachments,
            system_prompt=system_prompt,
            **get_run_facts(run.hook_context),
        )

    def _rejection(self, guard: Guard, result: Rejected) -> RunStoppedError:
        if result.category is RejectionCategory.SYSTEM_ERROR:
            self._boundary.count(policies.GUARD)
            logger.warning("guard rejects, since it cannot do its work", guard=type(guard).__name__)
        else:
            logger.info("guard rejects", guard=type(guard).__name__, category=str(result.category))
        code = _CODES.get(result.category, AgentErrorCode.GUARD_REJECTED)
        return RunStoppedError(code, result.reason or None, retry_after_s=result.retry_after_s)


def _read_texts(attachments: Sequence[Attachment]) -> Iterator[str]:
    """The texts of the files that are text, as models are sent them."""
    texts = map(_read_text, attachments)
    return (text for text in texts if text is not None)


def _read_text(attachment: Attachment) -> str | None:
    if attachment.data is None or not is_text(attachment.media_type.lower()):
        return None
    return attachment.data.decode(errors="replace")


def _join(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else _BETWEEN.join(filter(None, texts))


def _with_texts(
    attachments: Sequence[Attachment], given: Sequence[str], texts: Sequence[str]
) -> Iterator[Attachment]:
    """The attachments with other texts; a file whose text is the same keeps its bytes."""
    pairs = zip(given, texts, strict=True)
    for attachment in attachments:
        before, after = ("", "") if _read_text(attachment) is None else next(pairs)
        is_same = before == after
        yield attachment if is_same else replace(attachment, data=after.encode(errors="replace"))


results_logger = get_logger("tool_result_guards")


class ToolResultGuards:
    """Asks the guards in order; fails closed for the call.

    Args:
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
        text, attachments = _read(content)
        request = _make_request(
            tool.name,
            text,
            context,
            call_id=call_id,
            arguments=arguments,
            source=_find_source(tool),
            attachments=attachments,
        )
        checked = await self._ask_all(request)
        if checked is None:
            withheld = f"Error: The result of the tool '{tool.name}' was withheld by a guard"
            return withheld, ToolOutcome.BLOCKED
        if checked.text == request.text:
            return content, outcome
        return self._with_text(checked), outcome

    async def check_text(self, context: HookContext, text: str, *, name: str) -> str | None:
        """Return a text made of results as guards leave it; None if one withholds it.

        They know it by a name in the place of a tool's.
        """
        checked = await self._ask_all(_make_request(name, text, context))
        return None if checked is None else checked.text

    async def _ask_all(self, request: ToolResultRequest) -> ToolResultRequest | None:
        """The request with the text as the guards leave it; None if one withholds it."""
        for guard in self._guards:
            text = await self._ask(guard, request)
            if text is None:
                return None
            if text is not request.text:
                request = replace(request, text=text)
        return request

    async def _ask(self, guard: ToolResultGuard, request: ToolResultRequest) -> str | None:
        """The text as the guard leaves it; None if it withholds it."""
        result = await self._boundary.ask_guard(policies.TOOL_RESULT_GUARD, guard, request)
        if isinstance(result, str):
            return result
        if isinstance(result, Rejected):
            self._report(guard, result, request)
        return None

    def _report(self, guard: ToolResultGuard, result: Rejected, request: ToolResultRequest) -> None:
        event, log = "tool result withheld", results_logger.info
        if result.category is RejectionCategory.SYSTEM_ERROR:
            self._boundary.count(policies.TOOL_RESULT_GUARD)
            event, log = f"{event}, since the guard cannot do its work", results_logger.warning
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


def _make_request(name: str, text: str, context: HookContext, **of_call: Any) -> ToolResultRequest:
    return ToolResultRequest(
        tool_name=name,
        text=text,
        run_id=context.run_id,
        user_prompt=context.user_prompt,
        **get_run_facts(context),
        **of_call,
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
