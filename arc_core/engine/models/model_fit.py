"""Tells if a model can be sent something: attachments that it takes, and tokens that fit."""

from collections.abc import Callable, Iterator

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.models.models import RunModel
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.interfaces.optional import AcceptsAddresses
from arc_core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from arc_core.messages.content import Attachment, get_attachments


class ModelFit:
    """Knows why a model cannot be sent something."""

    def __init__(self, costs: TokenCosts, *, boundary: Boundary) -> None:
        self._costs = costs
        self._boundary = boundary

    def find_refusal(self, model: RunModel, attachment: Attachment) -> str | None:
        """Return why a model does not take an attachment; None if it does."""
        accepting, media_type = model.accepting, attachment.media_type
        if accepting is None or not self._says_yes(accepting, accepting.accepts, media_type):
            return "the model does not take this type"
        if attachment.url is None or not isinstance(accepting, AcceptsAddresses):
            return None
        if not self._says_yes(accepting, accepting.accepts_address, media_type):
            return "the model takes this type as bytes only"
        return None

    def find_problem(
        self, request: ChatRequest, model: RunModel, *, made_for: RunModel
    ) -> str | None:
        """Return why a model cannot take another one's request; None if it can."""
        for attachment in _attachments_in(request):
            refusal = self.find_refusal(model, attachment)
            if refusal is not None:
                return f"{refusal}: {attachment.media_type}"
        room = _room_in(model)
        if room >= _room_in(made_for):
            return None
        tokens = self._costs.of_request(request)
        return f"{tokens} tokens do not fit into {room}" if tokens > room else None

    def estimate_tokens(self, request: ChatRequest, answer: AssistantMessage) -> int:
        """Return an estimate of the tokens that a call has taken."""
        return self._costs.of_request(request) + self._costs.of_answer(answer)

    def encode(self, model: RunModel, request: ChatRequest) -> bytes:
        """Return the bytes that a model would send; empty if it cannot tell them."""
        if (encoding := model.encoding) is None:
            return b""
        encode = encoding.encode_request
        encoded = self._boundary.call_now(policies.REQUEST_ENCODING, encoding, encode, request)
        return b"" if isinstance(encoded, Failed) else encoded

    def _says_yes(self, model: object, question: Callable[[str], bool], media_type: str) -> bool:
        answer = self._boundary.call_now(policies.ATTACHMENTS, model, question, media_type)
        return answer is True


def _room_in(model: RunModel) -> int:
    """Return the tokens that a request may have, so that there is room for the answer."""
    return model.llm.max_context_window_tokens - model.llm.max_output_tokens


def _attachments_in(request: ChatRequest) -> Iterator[Attachment]:
    for message in request.messages:
        yield from _list_attachments(message)


def _list_attachments(message: Message) -> Iterator[Attachment]:
    match message:
        case UserMessage(content=content):
            yield from get_attachments(content)
        case ToolResultMessage(results=results):
            for result in results:
                yield from get_attachments(result.content)
        case _:
            return
