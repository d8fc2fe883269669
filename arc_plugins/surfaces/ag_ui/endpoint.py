"""Begins, reads again and resumes runs for AG-UI."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from arc_core import ServedApplication
from arc_core.serving import (
    Position,
    RunStreamResponse,
    answer_questions,
    caller_of,
    check_body,
    check_id,
    read_as,
    read_body,
)
from arc_plugins.surfaces.ag_ui.events import AgUiEventEncoder
from arc_plugins.surfaces.ag_ui.interrupts import answers_in
from arc_plugins.surfaces.ag_ui.requests import AgUiRunInput, command_in, props_in, question_in


class Endpoint:
    """Answers the posts of front ends."""

    def __init__(self, application: ServedApplication) -> None:
        self._application = application

    async def run(self, request: Request) -> Response:
        """Begin a run, read one again, or resume one."""
        body = await read_body(request, attached_in=("value",), has_history=True)
        asked = read_as(body, AgUiRunInput)
        check_id(asked.run_id, param="runId")
        runs = self._application.runs.for_caller(caller_of(request))
        if asked.resume:
            said: dict[str, Any] = {"resume": [each.model_dump() for each in asked.resume]}
            check_body(said, (), self._application)
            run, after = await answer_questions(
                answers_in(asked.resume),
                runs=runs,
                session_id=asked.thread_id,
                param="resume[].interruptId",
                read=lambda request, answer: answer.make_decision(request),
            )
        else:
            command = command_in(asked, agent=request.path_params.get("agent"))
            question = question_in(asked.messages)[1].model_dump()  # the others are not read
            said = {"question": question, "told": command.metadata}
            check_body(said, command.attachments, self._application)
            outlives_caller = props_in(asked).outlives_caller
            opening = runs.begin(command, run_id=asked.run_id, outlives_caller=outlives_caller)
            run, after = await opening.open(), Position()
        encoder = AgUiEventEncoder(run.id, asked)
        return RunStreamResponse(run, encoder.stream(run, after=after))
