"""Answers in Arc's own forms."""

import json
from typing import Any

from arc_core import AgentResult, RunState, Waiting
from arc_core.forms import to_json

__all__ = ["get_state", "make_form"]


def make_form(value: object) -> Any:
    """The JSON value of what has a form."""
    return json.loads(to_json(value))


def get_state(
    found: AgentResult[Any] | Waiting, *, requests: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the state of a run, as `arc runs show --json` prints it.

    Args:
        found: The run.
        requests: The forms of what it waits for.
    """
    if not isinstance(found, Waiting):
        finished = RunState.FINISHED.value
        return _state(found.run_id, finished, requests=[], result=make_form(found))
    return _state(found.run_id, found.state.value, requests=requests, result=None)


def _state(run_id: str, state: str, *, requests: list[Any], result: Any) -> dict[str, Any]:
    return {"run_id": run_id, "state": state, "requests": requests, "result": result}
