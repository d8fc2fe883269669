"""From Gemini's candidates and their parts to Arc's values, and the parts back."""

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from arc_core import (
    AssistantMessage,
    Attachment,
    ChatResponse,
    Content,
    FinishReason,
    InvalidResponseError,
    Part,
    Reasoning,
    Text,
    TokenUsage,
    ToolCall,
)
from arc_core.messages.attachments import attachments_in
from arc_core.wire import json_bytes, json_value, token_usage
from arc_core.wire.http_chat_model import PayloadError, unwrap

_SIGNATURE = "thoughtSignature"
_REFUSED = frozenset({
    "BLOCKLIST", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_SAFETY", "LANGUAGE",
    "MODEL_ARMOR", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII",
})  # fmt: skip
_MALFORMED = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})


def read_payload(data: bytes) -> Mapping[str, Any]:
    """The object of a body or an event; raises `PayloadError` if it is an error."""
    payload = unwrap(json_value(data))
    error = payload.get("error")
    if error:
        raise PayloadError(error)
    return payload  # type: ignore[no-any-return]


def find_candidate(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The candidate with index 0, or without an index; empty if there is none."""
    for candidate in payload.get("candidates") or ():
        if not candidate.get("index"):
            return candidate  # type: ignore[no-any-return]
    return {}


def list_parts(candidate: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The parts of a candidate, which may have none."""
    return (candidate.get("content") or {}).get("parts") or ()


_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d{1,6})\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")
_MAX_STEPS = 64


class PartialArguments:
    """Puts the arguments of one call together."""

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}

    def add(self, piece: Mapping[str, Any]) -> None:
        """Take a piece: texts at one place are appended, other values are set.

        Args:
            piece: With a `jsonPath` such as `$.steps[0].name`, and one value.

        Raises:
            ValueError: There is not such a place, nor can it be the next one.
            TypeError: A name is of something that has no names.
        """
        steps = _read_steps(piece["jsonPath"])
        last = steps[-1]
        container: Any = self.value
        for step, following in pairwise(steps):
            container = _open(container, step, [] if isinstance(following, int) else {})
        text = piece.get("stringValue")
        if isinstance(text, str):
            known = _open(container, last, "")
            container[last] = known + text if isinstance(known, str) else text
        else:
            _open(container, last, None)
            container[last] = piece.get("boolValue", piece.get("numberValue"))


def _open(container: Any, step: str | int, otherwise: Any) -> Any:
    """The value at a place, which is made if it is the next one."""
    if isinstance(step, str):
        if not isinstance(container, dict):
            raise TypeError("a piece of a call is named in what has no names")
        return container.setdefault(step, otherwise)
    if not isinstance(container, list) or step > len(container):
        raise ValueError("a piece of a call is at a place that is not there")
    if step == len(container):
        container.append(otherwise)
    return container[step]


def _read_steps(path: str) -> list[str | int]:
    steps = list(_iterate_steps(path))
    if not steps or len(steps) > _MAX_STEPS:
        raise ValueError("a piece of a call has no place, or a very deep one")
    return steps


def _iterate_steps(path: str) -> Iterator[str | int]:
    position = 1  # behind the $
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            raise ValueError("the place of a piece of a call cannot be read")
        name, index, single, double = step.groups()
        yield (
            int(index)
            if index is not None
            else next(each for each in (name, single, double) if each is not None)
        )
        position = step.end()


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    arguments: PartialArguments = field(default_factory=PartialArguments)

    def build(self) -> ToolCall:
        return ToolCall(self.id, self.name, json_bytes(self.arguments.value).decode())


@dataclass(slots=True)
class AddedParts:
    """The texts, the thoughts, and the completed calls with their places, of one chunk."""

    text: str = ""
    thought: str = ""
    calls: list[tuple[int, ToolCall]] = field(default_factory=list)


class AnswerParts:
    """Collects the parts of one answer.

    What has a signature, or is neither text nor call, goes back as it came and where it came. A
    signature belongs to the part in which it came: texts are put together only if they have none.

    Attributes:
        calls: That are whole.
    """

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []
        self._texts: list[str] = []
        self._attached: list[tuple[int, Attachment]] = []  # behind so many texts
        self._thoughts: list[str] = []
        self._parts: list[dict[str, Any]] = []
        self._unsigned: list[str] = []  # of the text at the end
        self._is_special = False
        self._open: _Call | None = None

    @property
    def has_content(self) -> bool:
        """True if there is an image, or more text than blanks."""
        return bool(self._attached) or any(text.strip() for text in self._texts)

    @property
    def content(self) -> Content:
        """The text so far, or with images, the parts in their order."""
        if not self._attached:
            return "".join(self._texts)
        parts: list[Part] = []
        begin = 0
        for place, attachment in self._attached:
            parts += [*_list_text(self._texts[begin:place]), attachment]
            begin = place
        return (*parts, *_list_text(self._texts[begin:]))

    def add_text(self, text: str) -> None:
        """Take a text without a signature."""
        self._texts.append(text)
        self._unsigned.append(text)

    def add(self, parts: Iterable[Mapping[str, Any]]) -> AddedParts:
        """Take the parts of a chunk, or of a whole answer."""
        added = AddedParts()
        for part in parts:
            self._add(part, added)
        return added

    def end(self) -> list[tuple[int, ToolCall]]:
        """Complete a call that was begun, and whose end is missing."""
        return [] if self._open is None else [self._complete(self._open)]

    def build(self) -> AssistantMessage:
        """The message so far."""
        thought = "".join(self._thoughts)
        return AssistantMessage(
            self.content,
            tuple(self.calls),
            (Reasoning(thought),) if thought else (),
            self.vendor_content(),
        )

    def vendor_content(self) -> dict[str, Any] | None:
        """The parts to send back, calls and images by their place; None if the rest tells all."""
        if not self._is_special:
            return None
        self._close_text()
        return {"gemini": list(self._parts)}

    def _add(self, part: Mapping[str, Any], added: AddedParts) -> None:
        if "functionCall" in part:
            self._add_call(part, added)
            return
        text = None if part.get("text") is None else "" + part["text"]  # or it is not a text
        is_thought = bool(part.get("thought"))
        if text is not None:
            if is_thought:
                self._thoughts.append(text)
                added.thought += text
            else:
                added.text += text
                self._texts.append(text)
        if "inlineData" in part:
            self._add_data(part, is_thought=is_thought)
        elif part.get(_SIGNATURE) or text is None:
            if part:
                self._keep(dict(part))
        elif text and not is_thought:
            self._unsigned.append(text)

    def _add_data(self, part: Mapping[str, Any], *, is_thought: bool) -> None:
        """Take an image; of drafts, which are thoughts, only what is signed goes back."""
        if is_thought:
            if part.get(_SIGNATURE):
                self._keep(dict(part))
            return
        blob = dict(part["inlineData"])
        data, media_type = b64decode(blob.pop("data")), str(blob.pop("mimeType"))
        self._attached.append((len(self._texts), Attachment(media_type, data)))
        self._keep({**part, "inlineData": blob})

    def _add_call(self, part: Mapping[str, Any], added: AddedParts) -> None:
        call, opened = part["functionCall"], self._open
        if call.get("name"):
            added.calls += self.end()
            opened = self._open = _Call(str(call.get("id") or ""), "" + call["name"])
            self._close_text()
            self._parts.append({"functionCall": {}})
        if opened is None:
            return
        if part.get(_SIGNATURE):
            self._is_special = True
            self._parts[-1] = {**self._parts[-1], _SIGNATURE: part[_SIGNATURE]}
        opened.arguments.value |= call.get("args") or {}
        for piece in call.get("partialArgs") or ():
            opened.arguments.add(piece)
        if not call.get("willContinue"):
            added.calls.append(self._complete(opened))

    def _complete(self, call: _Call) -> tuple[int, ToolCall]:
        self._open = None
        self.calls.append(call.build())
        return len(self.calls) - 1, self.calls[-1]

    def _keep(self, part: dict[str, Any]) -> None:
        self._close_text()
        self._is_special = True
        self._parts.append(part)

    def _close_text(self) -> None:
        text = "".join(self._unsigned)
        self._unsigned.clear()
        if text:
            self._parts.append({"text": text})


def find_own_parts(message: AssistantMessage) -> list[dict[str, Any]] | None:
    """The parts in which a message came, if it is still the same; None for another vendor's.

    Calls and images have their place only.
    """
    match message.vendor_content:
        case {"gemini": list(parts)}:
            texts = [each.get("text") or "" for each in parts if not each.get("thought")]
            calls = [each for each in parts if "functionCall" in each]
            images = list(filter(is_place_of_image, parts))
            is_same = (
                "".join(texts) == message.text
                and len(calls) == len(message.tool_calls)
                and len(images) == len(attachments_in(message))
            )
            return parts if is_same else None
        case _:
            return None


def is_place_of_image(part: Mapping[str, Any]) -> bool:
    """Return True if an image stood in place of a part that was kept."""
    return "inlineData" in part and "data" not in part["inlineData"]


def _list_text(texts: Sequence[str]) -> list[Text]:
    text = "".join(texts)
    return [Text(text)] if text else []


def decode_answer(body: bytes) -> ChatResponse:
    """A whole answer."""
    payload = read_payload(body)
    candidate, parts = find_candidate(payload), AnswerParts()
    parts.add(list_parts(candidate))
    parts.end()
    reason = read_finish_reason(payload, candidate, parts)
    if reason is None and "candidates" not in payload:
        raise KeyError("candidates")
    return ChatResponse(parts.build(), read_usage(payload.get("usageMetadata")), reason)


def read_finish_reason(
    payload: Mapping[str, Any], candidate: Mapping[str, Any], parts: AnswerParts
) -> FinishReason | None:
    """Arc's word for the end of an answer; None if it goes on.

    Raises:
        InvalidResponseError: The model has called a tool in a wrong way, which it may do better if
            asked again, or the vendor has given up for another reason, without a text.
    """
    name = candidate.get("finishReason")
    if name is None:
        is_blocked = (payload.get("promptFeedback") or {}).get("blockReason") is not None
        return FinishReason.CONTENT_FILTER if is_blocked else None
    if name in _REFUSED:
        return FinishReason.CONTENT_FILTER
    if name == "MAX_TOKENS":
        return FinishReason.LENGTH
    is_whole = name == "STOP" or parts.has_content or parts.calls
    if name in _MALFORMED or not is_whole:
        error = InvalidResponseError(f"gemini: the answer ended with {name!s:.60}")
        error.retryable = name in _MALFORMED
        raise error
    return FinishReason.TOOL_CALLS if parts.calls else FinishReason.STOP


def read_usage(counts: object) -> TokenUsage | None:
    """The tokens reported, None if there are none in numbers; a count that is left out is 0.

    What a tool of the vendor's has read is of the prompt, and thoughts are of the answer.
    """
    if not counts or not isinstance(counts, Mapping):
        return None
    written = [counts.get(name) or 0 for name in ("candidatesTokenCount", "thoughtsTokenCount")]
    return token_usage(
        map(counts.get, ("promptTokenCount", "toolUsePromptTokenCount")),
        sum(written) if all(type(count) is int for count in written) else written,
        cached_tokens=counts.get("cachedContentTokenCount"),
        reasoning_tokens=counts.get("thoughtsTokenCount"),
    )
