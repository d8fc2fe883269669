"""The JSON form of what people are asked and of what they say."""

import json
from typing import Any

from arc_core import ApprovalRequest, Approve, Decision, Deny
from arc_core.errors import FormError
from arc_plugins.journals.dbos.tables import datetime_of, moment_of

__all__ = ["read_decision", "read_request", "write_decision", "write_request"]

_MOMENTS = ("since", "until")


def write_request(request: ApprovalRequest) -> str:
    """The text of a request.

    Raises:
        FormError: Its arguments are not JSON.
    """
    found = {name: getattr(request, name) for name in ApprovalRequest.__dataclass_fields__}
    for name in _MOMENTS:
        if found[name] is not None:
            found[name] = moment_of(found[name])
    return _text({**found, "arguments": dict(request.arguments)}, "$.arguments")


def read_request(text: str) -> ApprovalRequest:
    """The request of a text that `write_request` has made."""
    found = json.loads(text)
    for name in _MOMENTS:
        if found[name] is not None:
            found[name] = datetime_of(found[name])
    return ApprovalRequest(**found)


def write_decision(decision: Decision) -> str:
    """The text of a decision; who made it and when stand beside it.

    Raises:
        FormError: Its arguments are not JSON.
    """
    answer, found = decision.answer, {"arguments_hash": decision.arguments_hash}
    if isinstance(answer, Approve):
        changed = None if answer.arguments is None else dict(answer.arguments)
        return _text({**found, "type": "approve", "arguments": changed}, "$.arguments")
    return _text({**found, "type": "deny", "reason": answer.reason}, "$.reason")


def read_decision(text: str, *, by: str, at: str) -> Decision:
    """The decision of a text that `write_decision` has made."""
    found = json.loads(text)
    is_approved = found["type"] == "approve"
    answer = Approve(found["arguments"]) if is_approved else Deny(found["reason"])
    hashed: str = found["arguments_hash"]
    return Decision(answer=answer, by=by, at=datetime_of(at), arguments_hash=hashed)


def _text(value: dict[str, Any], place: str) -> str:
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise FormError(
            "the arguments of a tool call are not JSON",
            place=place,
            remedy="use texts, numbers, booleans, None, lists and dictionaries",
        ) from None
