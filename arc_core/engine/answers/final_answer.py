"""The answer in the response that ends a run."""

from arc_core.engine.answer import Answer, GuardedAnswer
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.chat_model import ChatResponse
from arc_core.usage import FinishReason

__all__ = ["check_refusal", "final_answer"]


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
