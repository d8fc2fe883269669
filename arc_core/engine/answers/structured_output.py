"""Reads final answers, and asks the model again if one is not what the command asked for."""

from dataclasses import replace
from typing import Any

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.engine.agents.agent_functions import OutputChecks
from arc_core.engine.answer import Answer, GuardedAnswer
from arc_core.engine.answers.answer_reading import Misfit, read_answer
from arc_core.engine.run_limits import is_used_up
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.models.chat_model import ChatResponse
from arc_core.log import get_logger
from arc_core.messages import AssistantMessage, UserMessage
from arc_core.usage import FinishReason

logger = get_logger("structured_output")

_MAX_REPAIR_CHARS = 20_000


class StructuredOutput:
    """Reads answers in the form that their command asks for, and has the agent check them.

    Args:
        logs_problems: Whether the log may say what is wrong; that quotes the answer, which output
            guards have not seen by then.
    """

    def __init__(self, checks: OutputChecks, *, logs_problems: bool = True) -> None:
        self._checks, self._logs_problems = checks, logs_problems

    async def take(self, run: ActiveRun, answer: Answer) -> Answer | Misfit:
        """Return the answer with its value, or what the model can do better.

        Raises:
            RunStoppedError: It says nothing at all, or the check of the agent has failed.
        """
        reading = await _read(answer, run.command, run.scope.deps)
        if isinstance(reading, Misfit):
            if not reading.problems:
                self.refuse(reading)
            return reading
        output = reading.output if reading.has_output else reading.content
        problem = await self._checks.check(run, output)
        return reading if problem is None else Misfit((problem,))

    async def read(self, answer: Answer, command: AgentCommand, deps: Any) -> Answer | None:
        """Return the answer with its value; None if it is not what was asked for."""
        reading = await _read(answer, command, deps)
        return None if isinstance(reading, Misfit) else reading

    async def take_kept(self, run: ActiveRun, answer: Answer) -> Answer | None:
        """Return an answer from the cache with its value; None if this run would not take it."""
        reading = await self.take(run, answer)
        return None if isinstance(reading, Misfit) else reading

    def ask_again(
        self, run: ActiveRun, answer: Answer, misfit: Misfit
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
        """End the run, as its answer is not what was asked for.

        Raises:
            RunStoppedError: Always.
        """
        logger.warning("answer is not what was asked for")
        self._log(misfit)
        raise RunStoppedError(AgentErrorCode.INVALID_RESPONSE)

    def _log(self, misfit: Misfit) -> None:
        if self._logs_problems:
            logger.debug("problems of the answer", problems=misfit.problems)


async def _read(answer: Answer, command: AgentCommand, deps: Any) -> Answer | Misfit:
    if command.response_format is ResponseFormat.TEXT:
        return answer
    reading = await read_answer(answer.content, command, deps=deps)
    if isinstance(reading, Misfit):
        return reading
    return replace(answer, content=reading.content, output=reading.output, has_output=True)


def _task(command: AgentCommand) -> str:
    if command.response_format is ResponseFormat.TEXT:
        return "This answer cannot be used. Correct what is wrong, and answer the question again."
    name = command.response_format.name
    return (
        f"This answer is not the {name} that was asked for. Correct what is wrong, keep what is "
        f"right, and respond with the corrected {name} only."
    )


def final_answer(run: ActiveRun, said: GuardedAnswer) -> Answer:
    """The answer in what a model has said; the run notes why it stopped.

    Raises:
        RunStoppedError: It is a refusal, or blank.
    """
    response, message = said.visible, said.visible.message
    run.finish_reason = response.finish_reason
    check_refusal(response)
    if not message.content.strip():
        raise RunStoppedError(AgentErrorCode.INVALID_RESPONSE)
    return Answer(
        content=message.content,
        finish_reason=response.finish_reason,
        message=message,
        checked=said.checked,
    )


def check_refusal(response: ChatResponse) -> None:
    """Let everything pass but a refusal.

    Raises:
        RunStoppedError: It is one.
    """
    if response.finish_reason is FinishReason.CONTENT_FILTER:
        raise RunStoppedError(AgentErrorCode.REFUSED)
