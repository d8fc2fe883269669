"""What people at a terminal are told of calls that wait for them."""

import json
import shlex
from collections.abc import Iterator, Sequence

from arc_core.approvals import ApprovalRequest

__all__ = ["lines_about", "shown_call"]


def shown_call(request: ApprovalRequest) -> str:
    """The call in a line."""
    arguments = json.dumps(dict(request.arguments), ensure_ascii=False, default=str)
    return f"{request.tool} {arguments}"


def lines_about(
    requests: Sequence[ApprovalRequest], *, outlives_process: bool = True
) -> Iterator[str]:
    """What waits, and how it is decided.

    Args:
        requests: Of one run.
        outlives_process: Whether another process can decide.
    """
    for request in requests:
        summary = f": {request.summary}" if request.summary else ""
        until = f", until {request.until.isoformat()}" if request.until else ""
        yield f"{shown_call(request)} waits for a person{until}{summary}"
        run_id = shlex.quote(request.run_id)
        key = f" {shlex.quote(request.key)}" if len(requests) > 1 else ""
        if outlives_process:
            yield f"  arc runs approve {run_id}{key}"
            yield f"  arc runs deny {run_id}{key} --reason …"
    if requests and not outlives_process:
        yield "It cannot be decided: the run ends with this process. Set durable.enabled."
