"""Metadata of answers: their run, and that it waits for a person."""

from collections.abc import Callable, Sequence

from arc_core import AgentResult, ApprovalRequest

__all__ = ["TellWaiting", "make_metadata"]

TellWaiting = Callable[[str, Sequence[ApprovalRequest]], str]
"""`ServedApplication.tell_waiting`."""

_RUN_ID, _STATE = "run_id", "state"


def make_metadata(result: AgentResult) -> dict[str, str]:
    """Texts of the run's metadata, its id, and whether it waits."""
    told = {name: value for name, value in result.metadata.items() if isinstance(value, str)}
    told[_RUN_ID] = result.run_id
    return told | {_STATE: "waiting"} if result.waiting else told
