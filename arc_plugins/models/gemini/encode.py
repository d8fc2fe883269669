"""From Arc's requests to the bodies of generateContent requests."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pydantic import BaseModel

from arc_core import (
    AssistantMessage,
    Attachment,
    ChatRequest,
    Content,
    InvalidRequestError,
    Message,
    ReasoningEffort,
    ResponseFormat,
    SystemMessage,
    Text,
    Tool,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.attachments import attachments_in
from arc_core.tools.json_schema import get_json_schema
from arc_core.wire import (
    CallIds,
    EncodedMessages,
    EncodedParts,
    json_array,
    json_bytes,
    json_object,
    sendable_name,
)
from arc_core.wire.attachments import PDF, encode_base64, is_text, name_image, text_in, unsendable
from arc_core.wire.payloads import join_system, join_turns, read_arguments
from arc_plugins.models.gemini.decode import find_own_parts, is_place_of_image
from arc_plugins.models.gemini.schema import SchemaRefusedError, rewrite_schema

IMAGES = frozenset({"image/heic", "image/heif", "image/jpeg", "image/png", "image/webp"})
SOUNDS = frozenset({
    "audio/aac", "audio/aiff", "audio/flac", "audio/mp3", "audio/mpeg", "audio/ogg", "audio/wav",
    "audio/x-wav",
})  # fmt: skip
MEDIA = IMAGES | SOUNDS | {PDF}


def encode_parts(content: Content) -> list[dict[str, Any]]:
    """The parts of a content; empty texts are left out."""
    parts = (Text(content),) if isinstance(content, str) else content
    return [_encode_part(part) for part in parts if not isinstance(part, Text) or part.text]


def _encode_part(part: Text | Attachment) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"text": part.text}
    if part.media_type in MEDIA:
        if part.url is not None:
            return {"fileData": {"mimeType": part.media_type, "fileUri": part.url}}
        return {"inlineData": {"mimeType": part.media_type, "data": encode_base64(part)}}
    if is_text(part.media_type):
        return {"text": f"[{part.name or part.media_type}]\n{text_in(part)}"}
    raise unsendable(part)


_UNSIGNED = "skip_thought_signature_validator"
"""The vendor's word for a call that another model has made, where it demands a signature."""


def encode_message(
    message: Message, call_ids: Sequence[str], *, signs_calls: bool = True
) -> list[dict[str, Any]]:
    """The parts of a message."""
    match message:
        case SystemMessage():
            return []
        case UserMessage():
            return encode_parts(message.content)
        case AssistantMessage():
            return _encode_answer(message, call_ids, signs_calls=signs_calls)
        case ToolResultMessage(results=results):
            encoded = list(map(_encode_result, results, call_ids))
            return encoded + [part for result in results for part in _encode_attached(result)]


def _encode_answer(
    message: AssistantMessage, call_ids: Sequence[str], *, signs_calls: bool
) -> list[dict[str, Any]]:
    calls = [
        {"id": call_id, "name": sendable_name(call.name), "args": read_arguments(call.arguments)}
        for call, call_id in zip(message.tool_calls, call_ids, strict=True)
    ]
    own = find_own_parts(message)
    if own is None:
        encoded = [{"functionCall": call} for call in calls]
        if encoded and signs_calls:
            encoded[0]["thoughtSignature"] = _UNSIGNED  # type: ignore[assignment]
        return [*_encode_said(message.content), *encoded]
    images = iter(attachments_in(message))
    following = iter(calls)
    return [
        {**part, "functionCall": next(following)}
        if "functionCall" in part
        else _put_back(part, next(images))
        if is_place_of_image(part)
        else part
        for part in own
    ]


def _put_back(part: dict[str, Any], image: Attachment) -> dict[str, Any]:
    data = {"mimeType": image.media_type, "data": encode_base64(image)}
    return {**part, "inlineData": {**data, **part["inlineData"]}}


def _encode_said(content: Content) -> list[dict[str, Any]]:
    """The parts of an answer; of what Gemini does not take, a line."""
    if isinstance(content, str):
        return encode_parts(content)
    return encode_parts(
        tuple(
            Text(name_image(part))
            if isinstance(part, Attachment) and part.media_type not in MEDIA
            else part
            for part in content
        )
    )


def _encode_result(result: ToolResult, call_id: str) -> dict[str, Any]:
    key = "output" if result.outcome is ToolOutcome.SUCCESS else "error"
    name = sendable_name(result.name)
    return {"functionResponse": {"id": call_id, "name": name, "response": {key: result.text}}}


def _encode_attached(result: ToolResult) -> list[dict[str, Any]]:
    """Put attachments behind the results: few models take them within these."""
    if isinstance(result.content, str):
        return []
    attached = [part for part in result.content if isinstance(part, Attachment)]
    if not attached:
        return []
    return [{"text": f"Attached to the result of {result.name}:"}, *map(_encode_part, attached)]


_OLDER = re.compile(r"(?:models/)?gemini-[12]\.")


@dataclass(frozen=True, slots=True)
class GeminiDialect:
    """Begins with what the newest models take; refusals do not say what they are about.

    Attributes:
        is_older: The model is before Gemini 3: it thinks by a budget, gives no schema to an answer
            beside tools, and knows nothing of calls that are to be signed.
        is_plain: The model neither thinks nor takes a schema.
    """

    is_older: bool = False
    is_plain: bool = False

    def next(self) -> "GeminiDialect | None":
        """The one to try after this one; None after the last."""
        if not self.is_older:
            return replace(self, is_older=True)
        return None if self.is_plain else replace(self, is_plain=True)

    def known_of(self, model: str) -> "GeminiDialect":
        """With what the name of a model tells."""
        is_older = self.is_older or _OLDER.match(model) is not None
        return self if is_older == self.is_older else replace(self, is_older=True)


_BUDGETS = {ReasoningEffort.LOW: 1024, ReasoningEffort.MEDIUM: 8192, ReasoningEffort.HIGH: 24_576}


def _encode_thinking(effort: ReasoningEffort, dialect: GeminiDialect) -> bytes:
    if dialect.is_older:
        return b'{"includeThoughts":true,"thinkingBudget":%d}' % _BUDGETS[effort]
    return b'{"includeThoughts":true,"thinkingLevel":%s}' % json_bytes(effort.upper())


CONFIG_OPTIONS = {
    "frequency_penalty": "frequencyPenalty",
    "media_resolution": "mediaResolution",
    "presence_penalty": "presencePenalty",
    "response_modalities": "responseModalities",
    "seed": "seed",
    "speech_config": "speechConfig",
    "stop": "stopSequences",
    "top_k": "topK",
    "top_p": "topP",
}
"""The options that are fields of `generationConfig`, by the names that users write."""


_MODEL, _USER = b"model", b"user"
_TURN = b'{"role":"%s","parts":[%s]}'
_LEFT_OUT = b'{"text":"(Earlier messages are left out.)"}'
_SCHEMA_TYPE = b'"application/json"'


class GeminiRequestEncoder:
    """Encodes requests; what was encoded once is kept with its message, tool or schema."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = {
            CONFIG_OPTIONS[name]: json_bytes(
                [value] if name == "stop" and isinstance(value, str) else value
            )
            for name, value in options.items()
            if name in CONFIG_OPTIONS
        }
        self._signed = EncodedMessages(partial(_encode_turn, signs_calls=True))
        self._unsigned = EncodedMessages(partial(_encode_turn, signs_calls=False))
        self._tools = EncodedParts(_encode_tool)
        self._schemas = EncodedParts(_encode_schema)

    def encode(self, request: ChatRequest, *, model: str, dialect: GeminiDialect) -> bytes:
        """The body of a request, which begins with what stays the same over a session."""
        dialect = dialect.known_of(model)
        tools = json_array(map(self._tools.encode, request.tools)) if request.tools else b""
        return json_object(
            {
                "systemInstruction": _encode_system(request),
                "tools": b'[{"functionDeclarations":%s}]' % tools if tools else b"",
                "contents": self._encode_contents(request, dialect),
                "toolConfig": _encode_choice(request),
                "generationConfig": self._encode_config(request, dialect),
            }
        )

    def _encode_contents(self, request: ChatRequest, dialect: GeminiDialect) -> bytes:
        """The turns: user and model alternate, and a user begins."""
        kept = self._unsigned if dialect.is_older else self._signed
        messages = kept.encode(request.messages, CallIds())
        return join_turns(messages, _TURN, opening=(_USER, _LEFT_OUT))

    def _encode_config(self, request: ChatRequest, dialect: GeminiDialect) -> bytes:
        fields = dict(self._options)
        if request.temperature is not None:
            fields["temperature"] = json_bytes(request.temperature)
        if request.max_output_tokens is not None:
            fields["maxOutputTokens"] = b"%d" % request.max_output_tokens
        is_plain = dialect.is_plain
        if request.reasoning is not None and not is_plain:
            fields["thinkingConfig"] = _encode_thinking(request.reasoning, dialect)
        takes_schema = not is_plain and not (request.tools and dialect.is_older)
        if request.response_format is ResponseFormat.JSON and takes_schema:
            schema = request.response_schema
            fields["responseMimeType"] = _SCHEMA_TYPE
            fields["responseJsonSchema"] = b"" if schema is None else self._schemas.encode(schema)
        return json_object(fields) if fields else b""


def _encode_system(request: ChatRequest) -> bytes:
    text = join_system(request)
    return b'{"parts":[%s]}' % json_bytes({"text": text}) if text else b""


def _encode_choice(request: ChatRequest) -> bytes:
    """Return the settings of tool calls; empty for the usual ones."""
    choice = request.tool_choice
    if not request.tools or choice == "auto":
        return b""
    config: dict[str, Any] = {"mode": "NONE" if choice == "none" else "ANY"}
    if choice not in {"none", "required"}:
        config["allowedFunctionNames"] = [choice]
    return json_bytes({"functionCallingConfig": config})


def _encode_turn(
    message: Message, call_ids: tuple[str, ...], *, signs_calls: bool
) -> tuple[bytes, bytes]:
    """The role of a message, and its parts joined by commas; empty if there are none."""
    parts = encode_message(message, call_ids, signs_calls=signs_calls)
    role = _MODEL if isinstance(message, AssistantMessage) else _USER
    return role, b",".join(map(json_bytes, parts))


_NO_SCHEMA = {"type": "object", "properties": {}}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")


def _encode_tool(tool: Tool) -> bytes:
    """The declaration of a function.

    Raises:
        InvalidRequestError: The vendor would refuse the whole request because of it.
    """
    if _NAME.fullmatch(tool.name) is None:
        raise InvalidRequestError(
            f"gemini: the tool {tool.name!r} cannot be offered: names begin with a letter or _. "
            "To fix it: rename the tool"
        )
    try:
        schema = rewrite_schema({**_NO_SCHEMA, **tool.parameters})
    except SchemaRefusedError as refused:
        place = f" at {refused.place}" if refused.place else ""
        raise InvalidRequestError(
            f"gemini: the tool {tool.name!r} cannot be offered: its parameters have "
            f"{refused.keyword!r}{place}, which the vendor does not take. To fix it: write the "
            "schema without it"
        ) from refused
    declaration = {"name": tool.name, "parametersJsonSchema": schema}
    if tool.description:
        declaration["description"] = tool.description
    return json_bytes(declaration)


def _encode_schema(schema: type[BaseModel] | Mapping[str, Any]) -> bytes:
    """Empty if the vendor's part of JSON Schema cannot say it: the prompt tells the form."""
    try:
        return json_bytes(rewrite_schema(get_json_schema(schema)))
    except SchemaRefusedError:
        return b""
