"""Which attachments the model is sent: those it takes, as many as fit into a request."""

from collections.abc import Sequence
from dataclasses import replace

from arc_core.content import Attachment, Content, Text, attachments_of
from arc_core.engine.components import policies
from arc_core.engine.components.boundary import Boundary
from arc_core.engine.run_state import Run, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.chat_model import ChatModel
from arc_core.interfaces.optional import AcceptsAttachments
from arc_core.messages import Message, ToolResultMessage, UserMessage

__all__ = ["AttachmentRules"]

_SCHEMES = ("http://", "https://")


class AttachmentRules:
    """Refuses what a caller attaches in vain, and names to the model what it is not sent.

    Args:
        chat_model: Says what it takes; one that does not say takes nothing.
        boundary: Asks it.
        max_bytes: Of all attachments of a run's requests together.
    """

    def __init__(self, chat_model: ChatModel, *, boundary: Boundary, max_bytes: int) -> None:
        self._chat_model = chat_model if isinstance(chat_model, AcceptsAttachments) else None
        self._boundary = boundary
        self._max_bytes = max_bytes

    def check(self, run: Run) -> None:
        """See that the model can be sent what the caller attached.

        Raises:
            RunStoppedError: It cannot; the message names the attachment.
        """
        for place, attachment in enumerate(run.command.attachments, 1):
            flaw = self._take(run, attachment)
            if flaw is not None:
                name = repr(attachment.name) if attachment.name else str(place)
                raise RunStoppedError(
                    AgentErrorCode.INVALID_INPUT,
                    f"Attachment {name} ({attachment.media_type}) cannot be sent: {flaw}.",
                )

    def fit_history(self, run: Run, history: Sequence[Message]) -> Sequence[Message]:
        """The history, with a line of text in place of what the model cannot be sent.

        The newest attachments come first, so the oldest are left out.
        """
        if not any(map(_has_attachments, history)):
            return history
        fitted = [self._fit_message(run, message) for message in reversed(history)]
        return fitted[::-1]

    def fit(self, run: Run, content: Content) -> Content:
        """What a tool returned, with a line of text in place of what the model cannot be sent."""
        if isinstance(content, str):
            return content
        return tuple(
            self._fit_part(run, part) if isinstance(part, Attachment) else part for part in content
        )

    def _fit_message(self, run: Run, message: Message) -> Message:
        match message:
            case UserMessage(content=content):
                fitted: Message = replace(message, content=self.fit(run, content))
            case ToolResultMessage(results=results):
                each = [
                    replace(result, content=self.fit(run, result.content)) for result in results
                ]
                fitted = replace(message, results=tuple(each))
            case _:
                return message
        return message if fitted == message else fitted  # what is kept of it goes by identity

    def _fit_part(self, run: Run, attachment: Attachment) -> Attachment | Text:
        flaw = self._take(run, attachment)
        if flaw is None:
            return attachment
        name = attachment.name or "An attachment"
        return Text(f"[{name} ({attachment.media_type}) is left out: {flaw}]")

    def _take(self, run: Run, attachment: Attachment) -> str | None:
        """Count an attachment, or say why it cannot be sent."""
        size = len(attachment.data or b"")
        if not attachment.data and not attachment.url:
            return "it is empty"
        if attachment.url and not attachment.url.startswith(_SCHEMES):
            return "its address does not begin with http:// or https://"
        if not self._is_accepted(attachment.media_type):
            return "the model does not take this type"
        if run.attachment_bytes + size > self._max_bytes:
            return f"all attachments together may have {self._max_bytes} bytes"
        run.attachment_bytes += size
        return None

    def _is_accepted(self, media_type: str) -> bool:
        model = self._chat_model
        if model is None:
            return False
        accepts = self._boundary.call_now(policies.ATTACHMENTS, model, model.accepts, media_type)
        return accepts is True


def _has_attachments(message: Message) -> bool:
    match message:
        case UserMessage(content=content):
            return not isinstance(content, str) and bool(attachments_of(content))
        case ToolResultMessage(results=results):
            return any(attachments_of(result.content) for result in results)
        case _:
            return False
