"""The fields of a request of either API: carried, ignored, or refused with a reason.

Ignored is what asks a vendor to work otherwise and not for another answer: how it samples, caches
and bills.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, ValidationError
from starlette.requests import Request

from arc_core import AgentCommand, AgentMode, Attachment, ResponseFormat
from arc_core.messages.attachments import attachments_in
from arc_core.serving import JsonBody, Problem, StrictFields, problem_of_fields, read_as

M = TypeVar("M", bound=StrictFields)


def _first_wrong(said: object) -> object:
    """The first value that is not a text, if there is one: an error for each takes a while."""
    items = said.items() if isinstance(said, dict) else ()
    return next(({name: value} for name, value in items if not isinstance(value, str)), said)


Metadata = Annotated[dict[str, str], BeforeValidator(_first_wrong)]
"""Texts by their names."""

IGNORED = frozenset(
    {
        "access_programs",
        "context_management",
        "frequency_penalty",
        "image",
        "include",
        "logit_bias",
        "parallel_tool_calls",
        "prediction",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning",
        "reasoning_effort",
        "seed",
        "service_tier",
        "top_p",
        "truncation",
        "verbosity",
    }
)
"""Fields of OpenAI's that are accepted and change nothing."""

_TOOLS = (
    "Tools that the client sends are not supported: an agent has tools of its own, which run on "
    "the server. Leave this field out."
)
_PROBABILITIES = "Probabilities of tokens are not told; leave this field out."
_SOUND = "Agents answer with text only; leave this field out."
REFUSED: Mapping[str, str] = {
    "tools": _TOOLS,
    "functions": _TOOLS,
    "function_call": _TOOLS,
    "web_search_options": _TOOLS,
    "audio": _SOUND,
    "modalities": _SOUND,
    "logprobs": _PROBABILITIES,
    "top_logprobs": _PROBABILITIES,
    "moderation": "Guards of the application check requests and answers; leave this field out.",
    "n": "There is one answer to a request; leave this field out, or send 1.",
    "prompt": "Prompts are not kept here; send `instructions`.",
    "stop": "An answer does not stop at a text; leave this field out.",
}
"""Fields of OpenAI's that ask for another answer than there can be, and what is said of them."""

_ASKS_FOR_NOTHING: Mapping[str, tuple[Any, ...]] = {
    "function_call": ("none", "auto"),
    "modalities": (["text"],),
    "n": (1,),
}

_CHOICES: Mapping[str, dict[str, Any]] = {
    "auto": {},
    "none": {"mode": AgentMode.STANDARD},
    "required": {"tool_choice": "required"},
}


def read_fields(body: JsonBody, model: type[M]) -> M:
    """The fields of a body that count; null is as if the field were not there."""
    said = {name: value for name, value in body.value.items() if value is not None}
    for name, reason in REFUSED.items():
        value = said.pop(name, None)
        if value and value not in _ASKS_FOR_NOTHING.get(name, ()):
            raise Problem(422, "unsupported_parameter", reason, param=name)
    counted = {name: value for name, value in said.items() if name not in IGNORED}
    return read_as(counted, model)


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
