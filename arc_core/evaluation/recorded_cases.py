"""Cases from recordings: what was asked, and what the run has done, as an expectation to edit."""

from collections.abc import Iterable
from typing import Any

from arc_core.cases import Case
from arc_core.engine.journal.records import ToolStep
from arc_core.messages import AssistantMessage, SystemMessage, UserMessage
from arc_core.recordings import read_steps
from arc_core.result import AgentResult
from arc_core.runs.journal import Recording

_ROLES = {UserMessage: "user", AssistantMessage: "assistant", SystemMessage: "system"}


def write_cases(recordings: Iterable[Recording]) -> dict[str, Any]:
    """Return the table of a file of cases, as JSON has it, one case for each recording.

    A case expects that the same tools are called in the same order, and that the run ends as it
    did. What the answer has to say is left to the people who edit it.

    Raises:
        FormError: A step of a recording cannot be read.
    """
    return {"cases": [_write_case(each) for each in recordings]}


def make_case(recording: Recording) -> Case:
    """Return the case of one recording.

    Raises:
        FormError: A step of it cannot be read.
    """
    return Case.model_validate(_write_case(recording))


def _write_case(recording: Recording) -> dict[str, Any]:
    steps = sorted(
        (step for step in read_steps(recording) if not step.key.place),
        key=lambda step: step.key.number,
    )
    called = [step.value.result.name for step in steps if isinstance(step.value, ToolStep)]
    ends = [step.value for step in steps if isinstance(step.value, AgentResult)]
    expect: dict[str, Any] = {"tools": {"in_order": called}} if called else {}
    if ends and ends[0].error_code is not None:
        expect["result"] = ends[0].error_code.value
    case = {"name": recording.run_id, **_write_question(recording), "expect": expect}
    if recording.command.agent is not None:
        case["agent"] = recording.command.agent
    Case.model_validate(case)
    return case


def _write_question(recording: Recording) -> dict[str, Any]:
    command = recording.command
    earlier = [
        {"role": _ROLES[type(each)], "content": each.text}
        for each in command.conversation_history
        if isinstance(each, UserMessage | AssistantMessage | SystemMessage) and each.text
    ]
    if not earlier:
        return {"prompt": command.user_prompt}
    return {"messages": [*earlier, {"role": "user", "content": command.user_prompt}]}
