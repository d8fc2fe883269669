"""The keywords of a run: what an `AgentCommand` has, one by one, and `deps`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict
from uuid import UUID

from arc_autoconfig.errors import ComponentError, locate_source
from arc_core.command import AgentCommand, AgentMode, ReasoningEffort, ResponseFormat
from arc_core.components.extension_points import takes_parameter
from arc_core.limits import Limits
from arc_core.messages import Message, ToolCall
from arc_core.messages.content import Attachment
from arc_core.text.names import nearest


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
    reasoning: ReasoningEffort | None
    max_output_tokens: int | None
    tool_choice: str | None
    tool_call: ToolCall | None
    max_tool_calls: int | None
    user_id: str | None
    session_id: str | int | UUID | None
    tenant_id: str | None
    metadata: Mapping[str, object]
    response_format: ResponseFormat
    response_schema: object
    agent: str | None
    limits: Limits | None


class RunKeywords(RunOptions, total=False):
    """The fields of `AgentCommand`, and what is not part of a command.

    Attributes:
        deps: A value of the caller's own type, which tools, factories and contexts of the run get
            by that type; neither shown to the model nor kept.
    """

    deps: object


def command_of(
    command: AgentCommand | str,
    *,
    output: Any = None,
    options: RunOptions | None = None,
    agent: str | None = None,
) -> AgentCommand:
    """The command of a run: a question, or a command over which the options are laid.

    The type of the answer asks for JSON, unless the command or an option asks for YAML. The agent
    counts, whatever the command and the options say.

    Raises:
        ValidationError: A keyword has a wrong value, or the type has no JSON Schema.
        TypeError: There are two types of the answer, or no keyword of this name.
    """
    changes: dict[str, Any] = {**(options or {})}
    if agent is not None:
        changes["agent"] = agent
    if changes:
        _check_keywords(changes)
    if output is not None:
        changes = _with_output(output, command, changes)
    if isinstance(command, str):
        return AgentCommand(user_prompt=command, **changes)
    if not changes:
        return command
    given = {name: getattr(command, name) for name in command.model_fields_set}
    return type(command).model_validate({**given, **changes})


def _check_keywords(options: Mapping[str, object]) -> None:
    unknown = sorted(options.keys() - AgentCommand.model_fields.keys())
    if unknown:
        meant = nearest(unknown[0], (*RunKeywords.__annotations__, "output"))
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise TypeError(f"a run has no keyword {unknown[0]!r}{hint}")


def _with_output(
    output: Any, command: AgentCommand | str, changes: dict[str, Any]
) -> dict[str, Any]:
    if "response_schema" in changes:
        raise TypeError("output and response_schema are two types of one answer; give one of them")
    asked = ResponseFormat.TEXT if isinstance(command, str) else command.response_format
    form = ResponseFormat.JSON if asked is ResponseFormat.TEXT else asked
    return {"response_format": form, **changes, "response_schema": output}


def deps_for(method: Callable[..., object], deps: object) -> dict[str, Any]:
    """The keywords for the deps of a run; a `ComponentError` if the executor does not take any."""
    if deps is None:
        return {}
    if takes_parameter(method, "deps"):
        return {"deps": deps}
    raise ComponentError(
        "the agent executor takes no deps",
        evidence=[f"its place: {locate_source(method)}"],
        remedy="give its methods the keyword `deps`, as AgentExecutor has it, or call them without",
    )
