"""The lines that tell people at a terminal of calls that wait for them."""

import json
import shlex
from collections.abc import Iterator, Sequence

from arc_core.approvals import ApprovalRequest, Approve, Decision

__all__ = ["lines_about", "people_for", "shown_call"]


def shown_call(request: ApprovalRequest) -> str:
    """The call in a line."""
    arguments = json.dumps(dict(request.arguments), ensure_ascii=False, default=str)
    return f"{request.tool} {arguments}"


def people_for(request: ApprovalRequest) -> str:
    """Return who has to decide yet, in words."""
    left = request.people - len(request.approvals)
    group = f" of {' or '.join(request.deciders)}" if request.deciders else ""
    if left > 1:
        return f"{left} people{group}"
    return f"{'another' if request.approvals else 'a'} person{group}"


def _show_arguments(decision: Decision) -> str:
    changed = decision.answer.arguments if isinstance(decision.answer, Approve) else None
    if changed is None:
        return ""
    return f" with {json.dumps(dict(changed), ensure_ascii=False, default=str)}"


def lines_about(
    requests: Sequence[ApprovalRequest], *, outlives_process: bool = True
) -> Iterator[str]:
    """The lines about calls that wait, and the commands that decide them."""
    for request in requests:
        summary = f": {request.summary}" if request.summary else ""
        until = f", until {request.until.isoformat()}" if request.until else ""
        yield f"{shown_call(request)} waits for {people_for(request)}{until}{summary}"
        for each in request.approvals:
            yield f"  {each.by} has approved it{_show_arguments(each)}"
        run_id = shlex.quote(request.run_id)
        key = f" {shlex.quote(request.key)}" if len(requests) > 1 else ""
        if outlives_process:
            yield f"  arc runs approve {run_id}{key}"
            yield f"  arc runs deny {run_id}{key} --reason …"
    if requests and not outlives_process:
        yield "It cannot be decided: the run ends with this process. Set durable.enabled."
