"""The answer in the response that ends a run."""

from arc_core.engine.run_state import Answer, Run, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.chat_model import ChatResponse
from arc_core.usage import FinishReason

__all__ = ["check_refusal", "final_answer"]


def final_answer(run: Run, response: ChatResponse) -> Answer:
    """The answer in a response; its finish reason is noted in the metadata of the run.

    Raises:
        RunStoppedError: It is a refusal, or blank.
    """
    if response.finish_reason is not None:
        run.metadata["finish_reason"] = response.finish_reason.value
    check_refusal(response)
    if not response.message.content.strip():
        raise RunStoppedError(AgentErrorCode.INVALID_RESPONSE)
    return Answer(content=response.message.content, finish_reason=response.finish_reason)


def check_refusal(response: ChatResponse) -> None:
    """Let everything pass but a refusal.

    Raises:
        RunStoppedError: It is one.
    """
    if response.finish_reason is FinishReason.CONTENT_FILTER:
        raise RunStoppedError(AgentErrorCode.REFUSED)
