"""Questions and logins as calls of functions, whose output is what the client says of them.

The id of a call is that of the request, so that no process has to remember it. An approval is told
as a text: a client that runs functions by itself must not decide it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from arc_core import (
    Answer,
    ApprovalRequest,
    Approve,
    Deny,
    QuestionRequest,
    Request,
    RunHandle,
    Runs,
    ToolCall,
)
from arc_core.serving import Position, RequestForm, RequestId, answer_questions, read_answer
from arc_plugins.surfaces.openai.conversation import Parts, text_of_parts

_DECLINED = "declined"


def make_waiting_calls(requests: Iterable[Request], *, position: Position) -> list[ToolCall]:
    """Return the calls that wait for an output, `arc_question` and `arc_login`.

    The position is that of the last event that the client was told.
    """
    return [
        _make_call(each, position) for each in requests if not isinstance(each, ApprovalRequest)
    ]


def _make_call(request: Request, position: Position) -> ToolCall:
    form = RequestForm.of(request)
    said: dict[str, object] = {"text": form.text, **form.facts}
    if form.schema is not None:
        said["schema"] = form.schema
    arguments = json.dumps(said, ensure_ascii=False)
    return ToolCall(str(RequestId.of(request, position)), f"arc_{form.kind}", arguments)


def outputs_in(outputs: Sequence[tuple[str, Parts, str]]) -> Mapping[str, str]:
    """Return what a client says of calls, by their ids; empty unless all of them are of requests.

    Each output comes with the id of its call, and the place where it stands.
    """
    if not all(call_id.count("#") > 1 for call_id, _, _ in outputs):
        return {}
    return {call_id: text_of_parts(output, place) for call_id, output, place in outputs}


async def answer_calls(
    outputs: Mapping[str, str], *, runs: Runs, session_id: str | None, param: str
) -> tuple[RunHandle, Position]:
    """Answer what was asked; see `answer_questions`."""

    def read(request: Request, output: str) -> Approve | Answer | Deny:
        declined = _find_reason(output)
        if declined is not None and not _asks_for(request, _DECLINED):
            return Deny(declined)
        return read_answer(output, request=request, param=param)

    return await answer_questions(outputs, runs=runs, session_id=session_id, param=param, read=read)


def _find_reason(output: str) -> str | None:
    """Return why a client declines; None if it does not."""
    try:
        said = json.loads(output)
    except (ValueError, RecursionError):
        return None
    reason = said.get(_DECLINED) if isinstance(said, dict) else None
    return reason if isinstance(reason, str) else None


def _asks_for(request: Request, name: str) -> bool:
    properties = request.schema.get("properties") if isinstance(request, QuestionRequest) else None
    return isinstance(properties, Mapping) and name in properties
