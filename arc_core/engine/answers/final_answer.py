"""The answer in the response that ends a run."""

from arc_core.engine.run_state import Answer, Run, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.chat_model import ChatResponse
from arc_core.usage import FinishReason

__all__ = ["check_refusal", "final_answer"]


def final_answer(run: Run, response: ChatResponse) -> Answer:
    """The answer in a response; the run notes why the model stopped.

    Raises:
        RunStoppedError: It is a refusal, or blank.
    """
    run.finish_reason = response.finish_reason
    check_refusal(response)
    message = response.message
    if not message.content.strip():
        raise RunStoppedError(AgentErrorCode.INVALID_RESPONSE)
    return Answer(content=message.content, finish_reason=response.finish_reason, message=message)


def check_refusal(response: ChatResponse) -> None:
    """Let everything pass but a refusal.

    Raises:
        RunStoppedError: It is one.
    """
    if response.finish_reason is FinishReason.CONTENT_FILTER:
        raise RunStoppedError(AgentErrorCode.REFUSED)
