"""The answers of a model: of one call, and of a whole run."""

from dataclasses import dataclass
from typing import Any

from arc_core.interfaces.models.chat_model import ChatResponse
from arc_core.messages import AssistantMessage
from arc_core.usage import FinishReason


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedAnswer:
    """The answer of one model call, after the output guards.

    Attributes:
        message: As the model sent it, for its own next call only.
        visible: The response, with the message as everyone else may see it.
        checked: The text of it that output guards have let leave; None if they have not been asked.
    """

    message: AssistantMessage
    visible: ChatResponse
    checked: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalAnswer:
    """The answer that ends a run.

    Attributes:
        content: Its text; never blank, unless the message has an image.
        finish_reason: None if the vendor reports none.
        message: As everyone may see it; None for an answer from the response cache.
        has_output: Whether it is a structured answer.
        output: The parsed value of a structured answer.
        checked: The text that output guards have let leave; None if they have not been asked.
    """

    content: str
    finish_reason: FinishReason | None = None
    message: AssistantMessage | None = None
    has_output: bool = False
    output: Any = None
    checked: str | None = None
