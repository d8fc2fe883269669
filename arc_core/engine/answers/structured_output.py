"""JSON and YAML answers: read strictly, and repaired at most once."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.engine.answer import Answer, Said
from arc_core.engine.answers.answer_reading import Misfit, read_answer
from arc_core.engine.answers.chat_requests import chat_request
from arc_core.engine.answers.final_answer import final_answer
from arc_core.engine.answers.prompt import response_format
from arc_core.engine.components.models import Models
from arc_core.engine.run_limits import is_used_up
from arc_core.engine.run_state import Run, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.chat_model import ChatRequest
from arc_core.log import get_logger
from arc_core.messages import UserMessage

__all__ = ["StructuredOutput"]

logger = get_logger("structured_output")

_MAX_REPAIR_CHARS = 20_000


class StructuredOutput:
    """Makes sure that an answer is what the command asked for.

    Args:
        ask: Asks the model for the repair, of which a stream shows nothing.
        models: Has the one that is asked.
        logs_problems: Whether the log may say what is wrong; that quotes the answer, which output
            guards have not seen by then.
    """

    def __init__(
        self,
        *,
        ask: Callable[[Run, ChatRequest], Awaitable[Said]],
        models: Models,
        logs_problems: bool = True,
    ) -> None:
        self._ask = ask
        self._logs_problems = logs_problems
        self._models = models

    async def validate(self, run: Run, answer: Answer) -> Answer:
        """The answer with its value, after one repair at most; a blank one is not repaired.

        Raises:
            RunStoppedError: It is not what was asked for, and the repair has not made it so, or the
                limits of the run leave none.
            Exception: What the chat model raised last while it was asked for the repair.
        """
        reading = await _read_answer(answer, run.command)
        if isinstance(reading, Misfit) and reading.problems:
            answer = await self._repair(run, answer.content, reading.problems)
            reading = await _read_answer(answer, run.command)
        if isinstance(reading, Misfit):
            logger.warning("answer does not have the form asked for")
            self._log(reading.problems)
            raise RunStoppedError(AgentErrorCode.INVALID_RESPONSE)
        return reading

    async def read(self, answer: Answer, command: AgentCommand) -> Answer | None:
        """The answer with its value, without any repair; None if it is not what was asked for."""
        reading = await _read_answer(answer, command)
        return None if isinstance(reading, Misfit) else reading

    async def _repair(self, run: Run, content: str, problems: Sequence[str]) -> Answer:
        if is_used_up(run):
            raise RunStoppedError(AgentErrorCode.LIMIT_REACHED)
        logger.info("answer does not have the form asked for, the model is asked to repair it")
        self._log(problems)
        said = await self._ask(run, self._question(run.command, content, problems))
        run.add_response(said.shown)
        return final_answer(run, said)

    def _log(self, problems: Sequence[str]) -> None:
        if self._logs_problems:
            logger.debug("problems of the answer", problems=problems)

    def _question(
        self, command: AgentCommand, content: str, problems: Sequence[str]
    ) -> ChatRequest:
        name = command.response_format.name
        task = (
            f"The answer below is not the {name} that was asked for. Correct what is wrong, keep "
            f"what it says, and respond with the corrected {name} only."
        )
        parts = (
            task,
            "[Problems]\n" + "\n".join(f"- {problem}" for problem in problems),
            "[Answer]\n" + content[:_MAX_REPAIR_CHARS],
        )
        return chat_request(
            command,
            self._models.of(command),
            system_prompt=response_format(command),
            messages=(UserMessage("\n\n".join(parts)),),
        )


async def _read_answer(answer: Answer, command: AgentCommand) -> Answer | Misfit:
    if command.response_format is ResponseFormat.TEXT:
        return answer
    reading = await read_answer(answer.content, command)
    if isinstance(reading, Misfit):
        return reading
    return replace(answer, content=reading.content, output=reading.output, has_output=True)
