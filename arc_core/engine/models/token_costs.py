"""The tokens of messages, tools and files; counted once per object, since they never change."""

import json
import struct
from collections.abc import Iterable
from operator import attrgetter

from arc_core.components.prefix_cache import IdentityCache
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.interfaces.models.token_estimator import TokenEstimator
from arc_core.interfaces.tools.tool import Tool
from arc_core.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.content import Attachment, Content, Part, Text
from arc_core.messages.media_types import is_text
from arc_core.usage import TokenUsage

_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
_MAX_SEGMENTS = 1000
_VP8X_BYTES = 30


def size_of_image(data: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF, WebP or JPEG; None if the bytes do not tell them."""
    try:
        size = _size_in_header(data)
    except (IndexError, struct.error):  # cut off
        return None
    return size if size is not None and min(size) > 0 else None


def _size_in_header(data: bytes) -> tuple[int, int] | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _numbers(">II", data, 16)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return _numbers("<HH", data, 6)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _size_of_webp(data)
    return _size_of_jpeg(data) if data.startswith(b"\xff\xd8") else None


def _size_of_webp(data: bytes) -> tuple[int, int] | None:
    match data[12:16]:
        case b"VP8 ":
            width, height = _numbers("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", data, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X" if len(data) >= _VP8X_BYTES:
            sides = int.from_bytes(data[24:27], "little"), int.from_bytes(data[27:30], "little")
            return sides[0] + 1, sides[1] + 1
    return None


def _size_of_jpeg(data: bytes) -> tuple[int, int] | None:
    """From segment to segment, up to the one that begins a frame."""
    place = 2
    for _ in range(_MAX_SEGMENTS):
        if data[place] != 0xFF:
            return None
        marker = data[place + 1]
        if marker in _JPEG_SIZES:
            height, width = _numbers(">HH", data, place + 5)
            return width, height
        if marker == 0xFF:  # padding
            place += 1
        elif marker in _JPEG_ALONE:
            place += 2
        else:
            place += 2 + struct.unpack_from(">H", data, place + 2)[0]
    return None


def _numbers(form: str, data: bytes, place: int) -> tuple[int, int]:
    first, second = struct.unpack_from(form, data, place)
    return first, second


_TOKENS_OF_AN_UNKNOWN_IMAGE = 1600
_TOKENS_A_PAGE = 2000
_PAGES_OF_AN_UNKNOWN_PDF = 10
_BYTES_A_PAGE = 100_000
_BYTES_OF_TEXT_A_TOKEN = 2
_BYTES_OF_SOUND_A_TOKEN = 1600


def tokens_of_attachment(attachment: Attachment) -> int:
    """Return the tokens of an attachment, rather too many than too few."""
    data, kind = attachment.data, attachment.media_type.partition("/")[0]
    if kind == "image":
        size = None if data is None else size_of_image(data)
        return _TOKENS_OF_AN_UNKNOWN_IMAGE if size is None else _tokens_of_image(*size)
    if kind == "audio":
        return len(data or b"") // _BYTES_OF_SOUND_A_TOKEN + 1
    if attachment.media_type == "application/pdf":
        return _TOKENS_A_PAGE * (_PAGES_OF_AN_UNKNOWN_PDF if data is None else _count_pages(data))
    return len(data or b"") // _BYTES_OF_TEXT_A_TOKEN + 1


def _tokens_of_image(width: int, height: int) -> int:
    shrunk = _shrink(width, height, longer=1568)
    by_pixels = -(-shrunk[0] * shrunk[1] // 750)
    tiles = [-(-side // 512) for side in _shrink(width, height, longer=2048, shorter=768)]
    return max(by_pixels, 85 + 170 * tiles[0] * tiles[1])


def _shrink(width: int, height: int, *, longer: int, shorter: int | None = None) -> tuple[int, int]:
    scale = min(1.0, longer / max(width, height))
    if shorter is not None:
        scale = min(scale, shorter / min(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def _count_pages(data: bytes) -> int:
    """The pages that a PDF names in the open; what is packed is estimated by its size."""
    names = (b"/Type/Page", b"/Type /Page")
    pages = sum(data.count(name) - data.count(name + b"s") for name in names)
    return pages if pages > 0 else len(data) // _BYTES_A_PAGE + 1


_MAX_COUNTED_CHARS = 200_000  # counting more would hold the event loop
_CHARS_A_TOKEN = 2  # rather too many tokens than a request that the vendor refuses


class TokenCosts:
    """Counts are kept as long as the message or tool itself lives."""

    def __init__(self, estimator: TokenEstimator, *, boundary: Boundary) -> None:
        self._estimator = estimator
        self._boundary = boundary
        self._messages: IdentityCache[Message, int] = IdentityCache()
        self._tools: IdentityCache[Tool, int] = IdentityCache()
        self._last_prompt: str | None = None
        self._last_cost = 0

    def of_text(self, text: str) -> int:
        """Tokens of a text, counted every time; of a very long one as of its beginning."""
        length = len(text)
        if length > _MAX_COUNTED_CHARS:
            return -(-self.of_text(text[:_MAX_COUNTED_CHARS]) * length // _MAX_COUNTED_CHARS)
        tokens = self._boundary.call_now(
            policies.TOKEN_ESTIMATOR, self._estimator, self._estimator.estimate, text
        )
        if isinstance(tokens, Failed):
            return -(-len(text) // _CHARS_A_TOKEN)
        return max(0, tokens)

    def of_system_prompt(self, text: str) -> int:
        """Tokens of a system prompt; most are the one before."""
        if text is not self._last_prompt:
            self._last_prompt, self._last_cost = text, self.of_text(text)
        return self._last_cost

    def of_message(self, message: Message) -> int:
        """Tokens of text, attachments, tool-call names and arguments, and tool results."""
        cost = self._messages.get(message)
        if cost is None:
            cost = self._count(message)
            self._messages.put(message, cost)
        return cost

    def of_messages(self, messages: Iterable[Message]) -> int:
        """Tokens of several messages."""
        return sum(map(self.of_message, messages))

    def of_request(self, request: ChatRequest) -> int:
        """Tokens of all that a model is sent."""
        prompt = self.of_system_prompt(request.system_prompt or "")
        return prompt + sum(map(self.of_tool, request.tools)) + self.of_messages(request.messages)

    def of_answer(self, message: AssistantMessage) -> int:
        """Tokens of all that a model has written, its reasoning included."""
        return self.of_text("".join(list_texts(message)))

    def of_tool(self, tool: Tool) -> int:
        """Tokens of name, description and parameters."""
        cost = self._tools.get(tool)
        if cost is None:
            described = f"{tool.name} {tool.description} {json.dumps(dict(tool.parameters))}"
            cost = self.of_text(described)
            self._tools.put(tool, cost)
        return cost

    def _count(self, message: Message) -> int:
        estimate = self.of_text
        match message:
            case SystemMessage(content):
                return estimate(content)
            case UserMessage(content):
                return self.of_content(content)
            case AssistantMessage(content, tool_calls):
                tokens = self.of_content(content)
                for call in tool_calls:
                    tokens += estimate(call.name + call.arguments)
                return tokens
            case ToolResultMessage(results):
                return sum(map(self.of_content, map(attrgetter("content"), results)))

    def of_content(self, content: Content) -> int:
        """Tokens of a text or of parts, counted every time."""
        if isinstance(content, str):
            return self.of_text(content)
        return sum(map(self._of_part, content))

    def _of_part(self, part: Part) -> int:
        if isinstance(part, Text):
            return self.of_text(part.text)
        if part.data is not None and is_text(part.media_type):
            return self.of_text(part.data.decode(errors="replace"))
        return tokens_of_attachment(part)


def has_counted(usage: TokenUsage | None) -> bool:
    """Return True if a vendor has counted: no call takes nothing, and none gives tokens back."""
    if usage is None:
        return False
    prompt, completion = usage.prompt_tokens, usage.completion_tokens
    return prompt >= 0 and completion >= 0 and prompt + completion > 0


def list_texts(message: AssistantMessage) -> list[str]:
    """All that a model has written: text, reasoning, and the calls of tools."""
    texts = [message.text, *(block.text for block in message.reasoning)]
    for call in message.tool_calls:
        texts += (call.name, call.arguments)
    return texts
