"""Requests to people as the elicitations of a client, and what its user says of them.

A question is a form, or an address to open; a login is an address; an approval is a form with one
yes or no. A client is asked for what it can show, and for what its caller may decide.
"""

import json
from collections.abc import Mapping
from typing import Any

import mcp_types
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from arc_core import Answer, ApprovalRequest, Approve, Deny, QuestionRequest, Request
from arc_core.serving import RequestForm, make_call_id
from arc_plugins.surfaces.mcp.calls import Context

ElicitParams = mcp_types.ElicitRequestFormParams | mcp_types.ElicitRequestURLParams

_APPROVE = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean", "title": "Approve", "description": "Make this call."}
    },
    "required": ["approve"],
}
_DECLINED = "the user declined"
_TEXTS = frozenset({"string", "number", "integer", "boolean"})


def is_modern(context: Context) -> bool:
    """Return whether what is asked goes into the result of the call, and not into the open call."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def make_elicitation(request: Request, context: Context) -> ElicitParams | None:
    """Return what a client is to ask its user; None if it cannot."""
    capabilities = context.session.client_capabilities
    can = None if capabilities is None else capabilities.elicitation
    if can is None:
        return None
    form = RequestForm.of(request)
    if form.url is not None:
        if can.url is None:
            return None
        return mcp_types.ElicitRequestURLParams(
            message=form.text,
            url=form.url,
            elicitation_id=None if is_modern(context) else make_call_id(request),
        )
    schema = _APPROVE if isinstance(request, ApprovalRequest) else _make_schema(form.schema or {})
    if schema is None or (can.form is None and can.url is not None):
        return None
    text = form.text
    if isinstance(request, ApprovalRequest):
        text = f"{text}\n{request.tool} {json.dumps(dict(request.arguments), ensure_ascii=False)}"
    return mcp_types.ElicitRequestFormParams(message=text, requested_schema=schema)


def _make_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the part of a schema that forms have; None if they cannot ask for the answer."""
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping) or not all(map(_is_plain, properties.values())):
        return None
    required = [str(each) for each in schema.get("required", ())]
    made = {"type": "object", "properties": {k: dict(v) for k, v in properties.items()}}
    return made | ({"required": required} if required else {})


def _is_plain(field: object) -> bool:
    """Return whether a form has a field of this schema: a text, a number, a choice."""
    if not isinstance(field, Mapping):
        return False
    if field.get("type") != "array":
        return field.get("type") in _TEXTS and "$ref" not in field
    items = field.get("items")
    return isinstance(items, Mapping) and bool({"enum", "anyOf"} & items.keys())


def read_response(found: object) -> mcp_types.ElicitResult | None:
    """Return what a client says of an elicitation; None if it is not that."""
    try:
        return mcp_types.ElicitResult.model_validate(found)
    except ValidationError:
        return None


def read_decision(request: Request, said: mcp_types.ElicitResult) -> Approve | Answer | Deny | None:
    """Return the decision of a user; None if there is none, so that the run waits on.

    Who opens the address of a login has not logged in yet: that ends by itself.
    """
    if said.action == "decline":
        return Deny(_DECLINED)
    if said.action == "cancel":
        return None
    if isinstance(request, ApprovalRequest):
        return Approve() if (said.content or {}).get("approve") is True else Deny(_DECLINED)
    if isinstance(request, QuestionRequest):
        return Answer(dict(said.content or {}))
    return None
