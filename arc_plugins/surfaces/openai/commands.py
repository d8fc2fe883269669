"""Commands of both APIs: formats, the choice of tools, ids, the user."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from pydantic import ValidationError
from starlette.requests import Request

from arc_core import AgentCommand, AgentMode, AgentResult, Attachment, ResponseFormat
from arc_core import Request as PendingRequest
from arc_core.messages.attachments import attachments_in
from arc_core.serving import Problem, problem_of_fields

_CHOICES: Mapping[str, dict[str, Any]] = {
    "auto": {},
    "none": {"mode": AgentMode.STANDARD},
    "required": {"tool_choice": "required"},
}


def make_command(fields: Mapping[str, Any], *, format_place: str) -> AgentCommand:
    """A command of its fields."""
    try:
        return AgentCommand(**fields)
    except ValidationError as error:
        problem = problem_of_fields(error)
        param = format_place if problem.param == "response_schema" else problem.param
        raise Problem(422, problem.code, problem.message, param=param) from None


def list_attachments(command: AgentCommand) -> Sequence[Attachment]:
    """All that is attached, to the prompt and to what was said before."""
    said_before = map(attachments_in, command.conversation_history)
    return [*command.attachments, *chain.from_iterable(said_before)]


def fields_of_format(kind: str, schema: Mapping[str, Any] | None, place: str) -> dict[str, Any]:
    """Return the fields of a command for the format of its answer."""
    if kind == "text":
        return {}
    if kind == "json_schema" and schema is None:
        message = f"{place} has no schema; send it, or ask for json_object."
        raise Problem(422, "invalid_request", message, param=place)
    return {"response_format": ResponseFormat.JSON, "response_schema": schema}


def fields_of_choice(choice: object) -> dict[str, Any]:
    """Return the fields of a command for the choice of tools, which are those of the agent."""
    found = _CHOICES.get(choice) if isinstance(choice, str) else None
    if found is None:
        message = (
            "tool_choice may be auto, none or required, since the tools are those of the agent."
        )
        raise Problem(422, "unsupported_parameter", message, param="tool_choice")
    return found


def get_session(request: Request) -> str | None:
    """The conversation that the header names; None if there is none."""
    return request.headers.get("x-session-id", "").strip() or None


TellWaiting = Callable[[str, Sequence[PendingRequest]], str]
"""`ServedApplication.tell_waiting`."""

_RUN_ID, _STATE = "run_id", "state"


def make_metadata(result: AgentResult) -> dict[str, str]:
    """Texts of the run's metadata, its id, and whether it waits."""
    told = {name: value for name, value in result.metadata.items() if isinstance(value, str)}
    told[_RUN_ID] = result.run_id
    return told | {_STATE: "waiting"} if result.waiting else told
