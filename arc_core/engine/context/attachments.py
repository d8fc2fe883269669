"""The attachments that a model is sent: those it takes, as many as fit into a request."""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from arc_core.components.prefix_cache import PrefixCache
from arc_core.engine.models.models import ModelFit, Models
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from arc_core.messages.content import Attachment, Content, Text, get_attachments

_SCHEMES = ("http://", "https://")


class AttachmentRules:
    """Refuses what a caller attaches in vain, and names to the model what it is not sent.

    Args:
        fit: Knows what a model takes; one that does not say takes nothing.
    """

    def __init__(self, models: Models, *, fit: ModelFit, max_bytes: int) -> None:
        self._models = models
        self._fit = fit
        self._max_bytes = max_bytes
        self._has_attachments: PrefixCache[Message, bool] = PrefixCache()

    def check(self, run: ActiveRun) -> None:
        """See that the model can be sent what the caller attached, or end the run."""
        for place, attachment in enumerate(run.command.attachments, 1):
            flaw = self._take(run, attachment)
            if flaw is not None:
                name = repr(attachment.name) if attachment.name else str(place)
                raise RunStoppedError(
                    AgentErrorCode.INVALID_INPUT,
                    f"Attachment {name} ({attachment.media_type}) cannot be sent: {flaw}.",
                )

    def fit_history(self, run: ActiveRun, history: Sequence[Message]) -> Sequence[Message]:
        """The history, with a line of text in place of what the model cannot be sent.

        The newest attachments come first, so the oldest are left out.
        """
        if not history or not self._has_attachments.get(tuple(history), _find_attachments):
            return history
        fitted = [self._fit_message(run, message) for message in reversed(history)]
        return fitted[::-1]

    def fit(self, run: ActiveRun, content: Content) -> Content:
        """Return a result with a line of text for each attachment that the model cannot take."""
        if isinstance(content, str):
            return content
        return tuple(
            self._fit_part(run, part) if isinstance(part, Attachment) else part for part in content
        )

    def _fit_message(self, run: ActiveRun, message: Message) -> Message:
        match message:
            case UserMessage(content=content) | AssistantMessage(content=content):
                fitted: Message = replace(message, content=self.fit(run, content))
            case ToolResultMessage(results=results):
                each = [
                    replace(result, content=self.fit(run, result.content)) for result in results
                ]
                fitted = replace(message, results=tuple(each))
            case _:
                return message
        return message if fitted == message else fitted  # what is kept of it goes by identity

    def _fit_part(self, run: ActiveRun, attachment: Attachment) -> Attachment | Text:
        flaw = self._take(run, attachment)
        if flaw is None:
            return attachment
        name = attachment.name or "An attachment"
        return Text(f"[{name} ({attachment.media_type}) is left out: {flaw}]")

    def _take(self, run: ActiveRun, attachment: Attachment) -> str | None:
        """Count an attachment, or say why it cannot be sent."""
        flaw = _find_problem(attachment)
        if flaw is None:
            flaw = self._fit.find_refusal(self._models.of(run.command), attachment)
        if flaw is not None:
            return flaw
        size = len(attachment.data or b"")
        if run.attachment_bytes + size > self._max_bytes:
            return f"all attachments together may have {self._max_bytes} bytes"
        run.attachment_bytes += size
        return None


def _find_problem(attachment: Attachment) -> str | None:
    """Return why no model can be sent an attachment; one that is made by hand may be anything."""
    data, address = attachment.data, attachment.url or ""
    is_web = address.lower().startswith(_SCHEMES)
    flaws = {
        "it is empty": not data and not address,
        "its data is not bytes": data is not None and not isinstance(data, bytes),
        "it has both bytes and an address": bool(data and address),
        "its address does not begin with http:// or https://": bool(address) and not is_web,
        "its address holds credentials": _holds_credentials(address),
    }
    return next((flaw for flaw, is_there in flaws.items() if is_there), None)


def _holds_credentials(url: str) -> bool:
    try:
        return "@" in urlsplit(url).netloc
    except ValueError:  # it is not an address, as the vendor will say
        return "@" in url


def _find_attachments(begun: bool | None, new: tuple[Message, ...], _: int) -> bool:  # noqa: FBT001
    """Return whether messages have attachments, or those before them."""
    return bool(begun) or any(map(_has_attachments, new))


def _has_attachments(message: Message) -> bool:
    match message:
        case UserMessage(content=content) | AssistantMessage(content=content):
            return not isinstance(content, str) and bool(get_attachments(content))
        case ToolResultMessage(results=results):
            return any(get_attachments(result.content) for result in results)
        case _:
            return False
