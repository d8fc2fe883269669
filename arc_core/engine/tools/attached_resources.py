"""Resources that a caller attaches by their addresses, read before anything else sees the run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.tools.approvals import Approvals
from arc_core.engine.tools.user_requests import make_tool_context
from arc_core.errors import AgentErrorCode, ToolRetry
from arc_core.interfaces.tools.tool import Tool, ToolContext
from arc_core.log import get_logger
from arc_core.messages.content import Attachment, cut_text, is_resource

logger = get_logger("attachments")

_NO_TOOL = "no tool of the agent reads it"
_NEEDS_APPROVAL = "the tool that reads it needs an approval"
_NOT_READ = "its server does not give it"
_NOT_NOW = "it cannot be read at this moment"
_EMPTY = "it is empty"


@dataclass(frozen=True, slots=True)
class AttachedResources:
    """Reads attached resources by the tools of the agent, in the name of the user.

    Args:
        approvals: Know the tools of whose calls a person is asked; these read nothing here.
        timeout_s: Of one call, unless the tool says another.
    """

    find_tools: Callable[[str], Sequence[Tool]]
    approvals: Approvals
    boundary: Boundary
    timeout_s: float
    max_chars: int

    async def read(self, run: ActiveRun) -> None:
        """Put what was read in the place of each address, or end the run."""
        given = run.command.attachments
        if not any(map(is_resource, given)):
            return
        read = list[Attachment]()
        for attachment in given:
            if is_resource(attachment):
                read += await self._read_one(run, attachment)
            else:
                read.append(attachment)
        run.go_on_with(run.command.user_prompt, tuple(read))

    async def _read_one(self, run: ActiveRun, attachment: Attachment) -> Sequence[Attachment]:
        address = attachment.url or ""
        tool = next(
            (each for each in self.find_tools(run.agent) if _get_place(each, address)), None
        )
        if tool is None:
            raise _refuse(address, _NO_TOOL)
        if self.approvals.may_ask_about(tool):
            raise _refuse(address, _NEEDS_APPROVAL)
        rest = address.removeprefix(_get_place(tool, address))
        given = await self.boundary.call(
            policies.TOOL,
            tool,
            lambda: _call(tool, rest, make_tool_context(run, None)),
            timeout_s=tool.timeout_s or self.timeout_s,
        )
        if isinstance(given, Failed):
            logger.error("an attached resource cannot be read", tool=tool.name)
            raise _refuse(address, _NOT_NOW, AgentErrorCode.UNAVAILABLE) from given.error
        if isinstance(given, ToolRetry):
            raise _refuse(address, _NOT_READ)
        pieces = (given,) if isinstance(given, str) else given
        name = attachment.name or rest.rstrip("/").rpartition("/")[2] or None
        found = [self._attach(each, name) for each in pieces if each]
        if not found:
            raise _refuse(address, _EMPTY)
        return found

    def _attach(self, piece: str | Attachment, name: str | None) -> Attachment:
        if isinstance(piece, Attachment):
            return piece
        text = cut_text(piece, max_chars=self.max_chars).encode(errors="replace")
        return Attachment.from_bytes(text, media_type="text/plain", name=name)


async def _call(
    tool: Tool, address: str, context: ToolContext
) -> str | Sequence[str | Attachment] | ToolRetry:
    """Return the contents of a resource, or the refusal of its tool.

    Raises:
        TypeError: The tool returns something else than texts and attachments.
    """
    try:
        given = await tool.call({"address": address}, context)
    except ToolRetry as refusal:
        return refusal
    if isinstance(given, str):
        return given
    if isinstance(given, tuple) and all(isinstance(each, str | Attachment) for each in given):
        return given
    raise TypeError(f"it returned a {type(given).__name__} for a resource")


def _get_place(tool: Tool, address: str) -> str:
    """Return that with which the address of each resource of a tool begins; empty if not this."""
    place: object = getattr(tool, "resources_at", "")
    return place if isinstance(place, str) and place and address.startswith(place) else ""


def _refuse(
    address: str, problem: str, code: AgentErrorCode = AgentErrorCode.INVALID_INPUT
) -> RunStoppedError:
    visible = repr(Attachment("text/plain", url=address)).partition("url=")[2].removesuffix(")")
    return RunStoppedError(code, f"The resource {visible} cannot be attached: {problem}.")
