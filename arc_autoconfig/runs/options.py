"""The keywords of a run: what an `AgentCommand` has, one by one."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict
from uuid import UUID

from arc_core.command import AgentCommand, AgentMode, ResponseFormat
from arc_core.content import Attachment
from arc_core.limits import Limits
from arc_core.messages import Message

__all__ = ["RunOptions", "command_of"]


class RunOptions(TypedDict, total=False):
    """Keywords of `Application.execute`, `stream` and `run`: the fields of `AgentCommand`.

    Each has the meaning, and the default, that it has there.
    """

    attachments: Sequence[Attachment]
    system_prompt: str | None
    mode: AgentMode
    model: str | None
    conversation_history: Sequence[Message]
    temperature: float | None
    max_tool_calls: int | None
    user_id: str | None
    session_id: str | int | UUID | None
    tenant_id: str | None
    metadata: Mapping[str, object]
    response_format: ResponseFormat
    response_schema: object
    agent: str | None
    limits: Limits | None


def command_of(
    command: AgentCommand | str, *, output: Any = None, options: RunOptions | None = None
) -> AgentCommand:
    """The command of a run.

    Args:
        command: A question, or a command over which the keywords are laid.
        output: The type of the answer; asks for JSON, unless the command or a keyword asks for
            YAML.
        options: Only those that were given.

    Raises:
        ValidationError: A keyword has a wrong value, or the type has no JSON Schema.
        TypeError: There are two types of the answer.
    """
    changes: dict[str, Any] = dict(options or {})
    if output is not None:
        changes = _with_output(output, command, changes)
    if isinstance(command, str):
        return AgentCommand(user_prompt=command, **changes)
    if not changes:
        return command
    given = {name: getattr(command, name) for name in command.model_fields_set}
    return type(command).model_validate({**given, **changes})


def _with_output(
    output: Any, command: AgentCommand | str, changes: dict[str, Any]
) -> dict[str, Any]:
    if "response_schema" in changes:
        raise TypeError("output and response_schema are two types of one answer; give one of them")
    asked = ResponseFormat.TEXT if isinstance(command, str) else command.response_format
    form = ResponseFormat.JSON if asked is ResponseFormat.TEXT else asked
    return {"response_format": form, **changes, "response_schema": output}
