"""Reads final answers, and asks the model again if one is not what the command asked for."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.engine.agents.agent_functions import AgentFunctions
from arc_core.engine.answer import FinalAnswer, GuardedAnswer
from arc_core.engine.answers.schema_checks import (
    MAX_VALUES,
    MalformedTextError,
    has_too_many_values,
    parse_json,
)
from arc_core.engine.run_limits import is_used_up
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.models.chat_model import ChatResponse
from arc_core.log import get_logger
from arc_core.messages import AssistantMessage, UserMessage
from arc_core.messages.content import get_attachments, get_text
from arc_core.output_types import OutputType
from arc_core.tools.json_schema import find_problems
from arc_core.tools.threads import NoThreadFreeError, compute_in_thread
from arc_core.usage import FinishReason

_MAX_CHARS = 1_000_000
_MAX_CHARS_AT_ONCE = {ResponseFormat.JSON: 20_000, ResponseFormat.YAML: 4000}
_YAML_MARKS = (",", "[", "{", "\n")
_MAX_COUNTED_PROBLEMS = 2000
_MAX_PROBLEMS = 10
_MAX_PLACE_CHARS = 100
_MAX_PROBLEM_CHARS = 200
_ROOT = "answer"
_BUSY = f"{_ROOT}: it cannot be read now, too many other answers are being read"

_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)+")
_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)[^`\n]*+\n")


@dataclass(frozen=True, slots=True)
class Misfit:
    """An answer that is not what the command asked for; without problems, it says nothing."""

    problems: tuple[str, ...]


async def read_answer(
    answer: FinalAnswer, command: AgentCommand, deps: Any = None
) -> FinalAnswer | Misfit:
    """Read an answer strictly, in the format and by the schema of the command.

    Its content becomes the document itself, without the Markdown fence that may stand around it; of
    a type that was asked for inside an object, JSON is taken out of it. A long one is read in a
    thread, and one that is too long not at all. Validators of the type find `deps` as
    `info.context`.
    """
    form = command.response_format
    if form is ResponseFormat.TEXT:
        return answer
    if problem := _size_problem(answer.content, form):
        return Misfit((problem,))
    reading: FinalAnswer | Misfit
    if len(answer.content) <= _MAX_CHARS_AT_ONCE[form]:
        reading = _read_document(answer, command, deps)
    else:
        try:
            reading = await compute_in_thread(_read_document, answer, command, deps)
        except NoThreadFreeError:
            return Misfit((_BUSY,))
    schema = command.response_schema
    if isinstance(reading, Misfit) or not isinstance(schema, Mapping):
        return reading
    problems = await find_problems(reading.output, schema, root=_ROOT)
    return Misfit(tuple(problems)) if problems else reading


def _size_problem(text: str, form: ResponseFormat) -> str | None:
    if len(text) > _MAX_CHARS:
        return f"{_ROOT}: it has more than {_MAX_CHARS} characters; make it shorter"
    is_yaml = form is ResponseFormat.YAML
    if has_too_many_values(text, marks=_YAML_MARKS) if is_yaml else has_too_many_values(text):
        return f"{_ROOT}: it has more than {MAX_VALUES} values; make it shorter"
    return None


def _read_document(answer: FinalAnswer, command: AgentCommand, deps: Any) -> FinalAnswer | Misfit:
    """The value, checked by the type of the command if it names one."""
    is_json = command.response_format is ResponseFormat.JSON
    document = _document_in(answer.content)
    document = document.lstrip() if is_json else document
    if not document:
        return Misfit(())
    try:
        value = parse_json(document) if is_json else _parse_yaml(document)
    except MalformedTextError as error:
        return Misfit((str(error)[:_MAX_PROBLEM_CHARS],))
    declared = command.response_schema
    if declared is None or isinstance(declared, Mapping):
        return replace(answer, content=document, output=value, has_output=True)
    expected = OutputType.of(declared)
    inner = expected.unwrap(value)
    if inner is not value:
        text = json.dumps(inner, ensure_ascii=False)
        document = text if is_json else document
    else:
        text = document if is_json else json.dumps(value)
    try:
        output = expected.validate(text, context=deps)
    except ValidationError as error:
        return _list_problems(error, expected)
    return replace(answer, content=document, output=output, has_output=True)


def _parse_yaml(document: str) -> Any:
    # A fifth of Arc's own start-up, which only programs that ask for YAML have to pay.
    from arc_core.engine.answers.strict_yaml import parse_yaml  # noqa: PLC0415

    return parse_yaml(document)


def _list_problems(error: ValidationError, expected: OutputType) -> Misfit:
    if (count := error.error_count()) > _MAX_COUNTED_PROBLEMS:  # pydantic makes all or none
        return Misfit((f"{_ROOT}: {count} fields do not fit the schema",))
    every = error.errors(include_url=False, include_context=False, include_input=False)
    problems = list[str]()
    for each in every[:_MAX_PROBLEMS]:
        place = expected.get_place(each["loc"]) or _ROOT
        problems.append(f"{place[:_MAX_PLACE_CHARS]}: {each['msg'][:_MAX_PROBLEM_CHARS]}")
    return Misfit(tuple(problems))


def _document_in(text: str) -> str:
    """The text without blank lines and a Markdown fence around it; indentation stays."""
    text = _strip_blank_lines(text)
    opening = _FENCE.match(text)
    if opening is None or not text.endswith(opening[1], opening.end()):
        return text
    return _strip_blank_lines(text[opening.end() :].removesuffix(opening[1]))


def _strip_blank_lines(text: str) -> str:
    before = _BLANK_LINES.match(text)
    return text[before.end() if before else 0 :].rstrip()


logger = get_logger("structured_output")

_MAX_REPAIR_CHARS = 20_000


class StructuredOutput:
    """Reads answers in the form that their command asks for, and has the agent check them.

    Args:
        logs_problems: Whether the log may say what is wrong; that quotes the answer, which output
            guards have not seen by then.
    """

    def __init__(self, functions: AgentFunctions, *, logs_problems: bool = True) -> None:
        self._functions, self._logs_problems = functions, logs_problems

    async def take(self, run: ActiveRun, answer: FinalAnswer) -> FinalAnswer | Misfit:
        """Return the answer with its value, or what the model can do better.

        Raises:
            RunStoppedError: It says nothing at all, or the check of the agent has failed.
        """
        reading = await read_answer(answer, run.command, run.scope.deps)
        if isinstance(reading, Misfit):
            if not reading.problems:
                self.refuse(reading)
            return reading
        output = reading.output if reading.has_output else reading.content
        problem = await self._functions.check_output(run, output)
        return reading if problem is None else Misfit((problem,))

    async def read(
        self, answer: FinalAnswer, command: AgentCommand, deps: Any
    ) -> FinalAnswer | None:
        """Return the answer with its value; None if it is not what was asked for."""
        reading = await read_answer(answer, command, deps)
        return None if isinstance(reading, Misfit) else reading

    async def take_kept(self, run: ActiveRun, answer: FinalAnswer) -> FinalAnswer | None:
        """Return an answer from the cache with its value; None if this run would not take it."""
        reading = await self.take(run, answer)
        return None if isinstance(reading, Misfit) else reading

    def ask_again(
        self, run: ActiveRun, answer: FinalAnswer, misfit: Misfit
    ) -> tuple[AssistantMessage, UserMessage]:
        """Return what the conversation goes on with, so that the model answers once more.

        Raises:
            RunStoppedError: The limits of the run leave nothing for it.
        """
        if is_used_up(run):
            raise RunStoppedError(AgentErrorCode.LIMIT_REACHED)
        logger.info("answer is not what was asked for, the model is asked once more")
        self._log(misfit)
        problems = "\n".join(f"- {problem}" for problem in misfit.problems)
        question = f"{_task(run.command)}\n\n[Problems]\n{problems}"
        return AssistantMessage(answer.content[:_MAX_REPAIR_CHARS]), UserMessage(question)

    def refuse(self, misfit: Misfit) -> None:
        """End the run, as its answer is not what was asked for."""
        logger.warning("answer is not what was asked for")
        self._log(misfit)
        raise RunStoppedError(AgentErrorCode.INVALID_RESPONSE)

    def _log(self, misfit: Misfit) -> None:
        if self._logs_problems:
            logger.debug("problems of the answer", problems=misfit.problems)


def _task(command: AgentCommand) -> str:
    if command.response_format is ResponseFormat.TEXT:
        return "This answer cannot be used. Correct what is wrong, and answer the question again."
    name = command.response_format.name
    return (
        f"This answer is not the {name} that was asked for. Correct what is wrong, keep what is "
        f"right, and respond with the corrected {name} only."
    )


def final_answer(run: ActiveRun, said: GuardedAnswer) -> FinalAnswer:
    """The answer in what a model has said; the run notes why it stopped.

    Raises:
        RunStoppedError: It is a refusal, or blank.
    """
    response, message = said.visible, said.visible.message
    run.finish_reason = response.finish_reason
    check_refusal(response)
    content = message.content
    text = content if isinstance(content, str) else get_text(content)
    if not text.strip() and not get_attachments(content):
        raise RunStoppedError(AgentErrorCode.INVALID_RESPONSE)
    return FinalAnswer(
        content=text, finish_reason=response.finish_reason, message=message, checked=said.checked
    )


def check_refusal(response: ChatResponse) -> None:
    """End the run if its answer is a refusal."""
    if response.finish_reason is FinishReason.CONTENT_FILTER:
        raise RunStoppedError(AgentErrorCode.REFUSED)
