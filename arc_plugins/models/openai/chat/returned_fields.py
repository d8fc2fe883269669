"""Fields that compatible servers send beside calls and messages, and want back as they came.

Signatures and encrypted reasoning, mostly. They are few and known by name: what is not named here
is the server's alone, and most servers refuse a request that has a field they do not know.
"""

from collections.abc import Iterable, Mapping
from typing import Any

CALL_FIELDS = (
    "extra_content",  # Google's signature of a thought; Gemini refuses a call without it
    "provider_specific_fields",  # the same, by way of LiteLLM
)
MESSAGE_FIELDS = (
    "reasoning_details",  # OpenRouter and MiniMax
    "thinking_blocks",  # Anthropic's, by way of LiteLLM
    "reasoning_opaque",  # GitHub
    "extra_content",
)
_THOUGHTS = ("reasoning_details", "thinking_blocks")
_APPENDED = ("text", "summary", "thinking")
_OF_THE_PIECE = "thought"  # Google marks a piece of text with it, and not the message


def returned_fields(payload: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The fields of a call or message that are not empty, by name."""
    return {name: payload[name] for name in names if payload.get(name)}


def thoughts_in(message: Mapping[str, Any]) -> str:
    """The text of the blocks of reasoning in a message or delta."""
    blocks = [block for name in _THOUGHTS for block in _list(message.get(name))]
    texts = [block.get(name) for block in blocks if _is_object(block) for name in _APPENDED]
    return "".join([text for text in texts if isinstance(text, str)])


class StreamedFields:
    """Puts the fields of one call or message together from the pieces of a stream.

    Blocks of lists continue each other, objects are merged, anything else is replaced.
    """

    def __init__(self) -> None:
        self._lists: dict[str, list[_Block]] = {}
        self._objects: dict[str, StreamedFields] = {}
        self._values: dict[str, Any] = {}

    def add(self, fields: Mapping[str, Any]) -> None:
        """Take the fields of a piece, which may be whole."""
        for name, value in fields.items():
            if isinstance(value, list):
                blocks = self._lists.setdefault(name, [])
                for each in value:
                    if not (blocks and blocks[-1].take(each)):
                        blocks.append(_Block(each))
            elif isinstance(value, Mapping):
                self._objects.setdefault(name, StreamedFields()).add(value)
            elif name != _OF_THE_PIECE:
                self._values[name] = value

    def build(self) -> dict[str, Any]:
        """The fields so far, without those of which nothing is left."""
        lists = {name: [each.build() for each in blocks] for name, blocks in self._lists.items()}
        objects = {name: each.build() for name, each in self._objects.items()}
        built = {**lists, **objects, **self._values}
        return {name: value for name, value in built.items() if value not in ({}, [])}


class _Block:
    """A block of reasoning, whose text comes in pieces and whose signature comes last."""

    def __init__(self, start: Any) -> None:
        self._start = start
        self._fields: dict[str, Any] = dict(start) if _is_object(start) else {}
        self._pieces: dict[str, list[str]] = {}

    def take(self, piece: Any) -> bool:
        """Continue with a piece; False if it begins another block.

        The index alone does not tell blocks apart, since OpenRouter streams all of them under 0.
        Encrypted ones come whole, and nothing follows a signature.
        """
        known = self._fields
        is_piece = known and _is_object(piece) and not known.get("signature")
        if not is_piece or not any(name in piece for name in (*_APPENDED, "signature")):
            return False
        if any(piece.get(name) not in (None, known.get(name)) for name in ("type", "index", "id")):
            return False
        for name, value in piece.items():
            if name in _APPENDED and isinstance(value, str) and isinstance(known.get(name), str):
                self._pieces.setdefault(name, [known[name]]).append(value)
            elif value is not None or name not in known:
                known[name] = value
        return True

    def build(self) -> Any:
        """The block so far."""
        if not self._fields:
            return self._start
        return {**self._fields, **{name: "".join(each) for name, each in self._pieces.items()}}


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
