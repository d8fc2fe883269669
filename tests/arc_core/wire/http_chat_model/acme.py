"""A third vendor, without an SDK: what a plugin for it takes."""

from collections.abc import Mapping
from dataclasses import dataclass

import httpx2

from arc_core import (
    AssistantMessage,
    ChatDelta,
    ChatRequest,
    ChatResponse,
    FinishReason,
    InvalidRequestError,
    ModelError,
    ModelOverloadedError,
    UserMessage,
)
from arc_core.wire import ServerSentEvent, error_of_status, json_bytes, json_value
from arc_core.wire.guarded_client import GuardedClient
from arc_core.wire.http_chat_model import (
    ClientOptions,
    Connection,
    HttpChatModel,
    PayloadError,
    PlainClient,
    Vendor,
    VendorErrors,
)

KEY_VARIABLE = "ACME_TEST_KEY"


def _find_type(error: Exception, text: str) -> type[ModelError] | None:
    del text
    match error:
        case PayloadError() if "busy" in error.codes:
            return ModelOverloadedError
        case httpx2.HTTPStatusError():
            return error_of_status(error.response.status_code)
        case _:
            return None


ERRORS = VendorErrors(
    vendor="acme",
    counterparts={httpx2.HTTPStatusError: InvalidRequestError},
    status_error=httpx2.HTTPStatusError,
    connection_error=httpx2.TransportError,
    type_of=_find_type,
    hint_of=lambda error: f" (asked {error.request.url.host})",
)


class AnswerDecoder:
    """Reads `{"text": …}` until `{"end": true}`."""

    def __init__(self) -> None:
        self.is_complete = self.is_ended = False

    def decode(self, event: ServerSentEvent) -> ChatDelta | None:
        """A piece of text, or the end."""
        payload = json_value(event[1])
        if payload.get("end"):
            self.is_complete = self.is_ended = True
            return ChatDelta(finish_reason=FinishReason.STOP)
        return ChatDelta(payload["text"])


@dataclass(frozen=True)
class Takes:
    """What a model takes."""

    temperature: bool = True


class AcmeChatModel(HttpChatModel[Takes]):
    """Asks Acme."""

    vendor = Vendor(
        title="Acme",
        path="/answers",
        default_model="acme-1",
        key_variable=KEY_VARIABLE,
        errors=ERRORS,
        refusals=(httpx2.HTTPStatusError,),
        options=frozenset({"seed", "stop"}),
        own_fields=frozenset({"messages", "model", "question", "stream"}),
    )

    def connect(self, options: ClientOptions) -> Connection:
        """A client with the key."""
        http = GuardedClient(
            base_url=options.base_url or "https://acme.example",
            headers={"x-key": options.key},
            timeout=options.timeout,
            max_reply_bytes=options.max_reply_bytes,
            setting=options.setting,
        )
        has_key = bool(options.key)
        return Connection(client=PlainClient(http), secret=options.key, is_authorized=has_key)

    def dialect_of(self, host: str) -> Takes:
        """Everything."""
        del host
        return Takes()

    def dialect_after(self, dialect: Takes, refusal: Exception) -> Takes | None:
        """Without a temperature."""
        del refusal
        return Takes(temperature=False) if dialect.temperature else None

    def encode(self, request: ChatRequest, *, model: str, dialect: Takes, stream: bool) -> bytes:
        """The last question."""
        question = request.messages[-1]
        assert isinstance(question, UserMessage)
        fields = {"model": model, "question": question.content, "stream": stream}
        is_sent = request.temperature is not None and dialect.temperature
        return json_bytes(fields | ({"temperature": request.temperature} if is_sent else {}))

    def decode(self, body: bytes) -> ChatResponse:
        """A text."""
        answer: Mapping[str, str] = json_value(body)
        if "code" in answer:
            raise PayloadError(answer)
        return ChatResponse(AssistantMessage(answer["text"]), finish_reason=FinishReason.STOP)

    def stream_decoder(self) -> AnswerDecoder:
        """For one answer."""
        return AnswerDecoder()
