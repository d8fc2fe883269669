"""Requests to people as lines of a terminal: what is asked, and the commands that decide."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arc_core.requests import Approve, Decision, LoginRequest, QuestionRequest, Request

_MAX_FIELDS = 20


def describe_request(request: Request) -> str:
    """Return what is asked, in a line."""
    match request:
        case QuestionRequest():
            return f"{request.tool} asks: {' '.join(request.text.split())}"
        case LoginRequest():
            scopes = f" ({', '.join(request.scopes)})" if request.scopes else ""
            whose = f"a login of {people_for(request)}"
            return f"{request.tool} needs {whose} at {request.service}{scopes}"
    return f"{request.tool} {_write(request.arguments)}"


def people_for(request: Request) -> str:
    """Return who has to decide yet, in words."""
    if isinstance(request, QuestionRequest | LoginRequest):
        return f"the user {request.user_id}" if request.user_id else "the user"
    left = request.people - len(request.approvals)
    group = f" of {' or '.join(request.deciders)}" if request.deciders else ""
    if left > 1:
        return f"{left} people{group}"
    return f"{'another' if request.approvals else 'a'} person{group}"


def lines_about(requests: Sequence[Request], *, outlives_process: bool = True) -> Iterator[str]:
    """The lines about requests that wait, and the commands that decide about them."""
    for request in requests:
        summary = f": {request.summary}" if request.summary else ""
        until = f", until {request.until.isoformat()}" if request.until else ""
        is_call = not isinstance(request, QuestionRequest | LoginRequest)
        where = f" waits for {people_for(request)}" if is_call else ""
        yield f"{describe_request(request)}{where}{until}{summary}"
        for each in request.approvals:
            yield f"  {each.by} has approved it{_show_arguments(each)}"
        if isinstance(request, QuestionRequest):
            yield from _describe_fields(request.schema)
        if outlives_process:
            key = f" {shlex.quote(request.key)}" if len(requests) > 1 else ""
            yield from lines_to_decide(request, key=key)
    if requests and not outlives_process:
        yield "It cannot be decided: the run ends with this process. Set durable.enabled."


def lines_to_decide(request: Request, *, key: str) -> Iterator[str]:
    """The address to open, if there is one, and the commands, with a key or without."""
    run_id = shlex.quote(request.run_id)
    match request:
        case LoginRequest():
            yield f"  log in at {request.url}"
        case QuestionRequest():
            if request.url is not None:
                yield f"  open {request.url}"
            yield f"  arc runs answer {run_id}{key} --values {_write_example(request.schema)}"
        case _:
            yield f"  arc runs approve {run_id}{key}"
    yield f"  arc runs deny {run_id}{key} --reason …"


def _show_arguments(decision: Decision) -> str:
    changed = decision.answer.arguments if isinstance(decision.answer, Approve) else None
    return "" if changed is None else f" with {_write(changed)}"


def _describe_fields(schema: Mapping[str, Any]) -> Iterator[str]:
    """The fields of an answer, a line each."""
    fields, required = _read_fields(schema), schema.get("required", ())
    for name, field in list(fields.items())[:_MAX_FIELDS]:
        facts = [str(field["type"])] if "type" in field else []
        facts += [f"one of {_write(field['enum'])}"] if "enum" in field else []
        facts += ["required"] if name in required else []
        facts += [f"default {_write(field['default'])}"] if "default" in field else []
        about = [str(field[key]) for key in ("title", "description") if key in field]
        yield " ".join(f"  {name}: {', '.join([*facts, *about])}".split("\n"))
    if len(fields) > _MAX_FIELDS:
        yield f"  and {len(fields) - _MAX_FIELDS} more fields"


def _write_example(schema: Mapping[str, Any]) -> str:
    """Return what an answer begins with, so that only the values have to be filled in."""
    names = [*schema.get("required", ())] or list(_read_fields(schema))[:1]
    example = ", ".join(f"{json.dumps(name, ensure_ascii=False)}: …" for name in names)
    return shlex.quote(f"{{{example}}}")


def _read_fields(schema: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return the properties of a schema; those that say nothing, as `true`, as empty."""
    fields: Mapping[str, Any] = schema.get("properties", {})
    return {name: each if isinstance(each, Mapping) else {} for name, each in fields.items()}


def _write(value: object) -> str:
    plain = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(plain, ensure_ascii=False, default=str)
