"""What is said of a run that waits for a person, and of which run an answer is."""

from collections.abc import Sequence

from arc_core import AgentResult, ApprovalRequest

__all__ = ["metadata_of", "text_of_waiting"]

_RUN_ID, _STATE = "run_id", "state"


def text_of_waiting(run_id: str, requests: Sequence[ApprovalRequest]) -> str:
    """A text in the place of an answer."""
    calls = ", ".join(dict.fromkeys(each.summary or each.tool for each in requests))
    return f"The run {run_id} waits for a person, who has to approve or deny: {calls}"


def metadata_of(result: AgentResult) -> dict[str, str]:
    """Texts of the run's metadata, its id, and whether it waits."""
    told = {name: value for name, value in result.metadata.items() if isinstance(value, str)}
    told[_RUN_ID] = result.run_id
    return told | {_STATE: "waiting"} if result.waiting else told
