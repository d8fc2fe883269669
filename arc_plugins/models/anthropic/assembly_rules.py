"""Rules to assemble the events of Anthropic's Messages API.

Six classes of events tell of one message, so each is first read as a piece of it:

```python
assembler = ReflectiveAssembler.of(MessagePieces)
async for event in stream:
    assembler.apply_delta(pieces_of(event))
message = message_of(assembler.build())          # an anthropic.types.Message
```

Events are told apart by their `type`, as the vendor demands: the SDK makes objects of the first
class that comes to hand for types it does not know. Those add nothing here.
"""

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic_core import from_json

from arc_core.assembly import StreamAppend, StreamIndex, StreamIndexedList, StreamMerge

Values = Annotated[Mapping[str, Any] | None, StreamMerge(operator.or_)]
"""Values by name, the later ones on top."""

_NOT_OF_THE_MESSAGE = frozenset({"delta", "type", "usage"})


@dataclass(slots=True, kw_only=True)  # one for each event: frozen, making it would cost thrice
class BlockPieces:
    """The pieces of a content block."""

    index: Annotated[int, StreamIndex()]
    start: Any = None
    text: Annotated[str | None, StreamAppend()] = None
    thinking: Annotated[str | None, StreamAppend()] = None
    partial_json: Annotated[str | None, StreamAppend()] = None
    citations: Annotated[list[Any] | None, StreamAppend()] = None
    values: Values = None


@dataclass(slots=True, kw_only=True)
class MessagePieces:
    """The pieces of a message.

    Attributes:
        start: The message as it was announced, without content.
        content: Its blocks.
        values: What replaces announced values, such as the stop reason.
        usage: What replaces announced counts: these are totals, and those that are missing stay.
    """

    start: Any = None
    content: Annotated[list[BlockPieces] | None, StreamIndexedList()] = None
    values: Values = None
    usage: Values = None


def pieces_of(event: Any) -> MessagePieces:
    """Read an event of the SDK, a `RawMessageStreamEvent` or its beta counterpart."""
    match event.type:
        case "content_block_delta":
            return MessagePieces(content=[_block_pieces(event.index, event.delta)])
        case "message_start":
            return MessagePieces(start=event.message)
        case "content_block_start":
            return _read_start(event.index, event.content_block)
        case "message_delta":
            return MessagePieces(values=_changes(event), usage=_given_values(event.usage))
    return MessagePieces()


def _read_start(index: int, block: Any) -> MessagePieces:
    """A fallback block names the model that answers from here on."""
    model = {"model": block.to.model} if block.type == "fallback" else None
    return MessagePieces(content=[BlockPieces(index=index, start=block)], values=model)


def _block_pieces(index: int, delta: Any) -> BlockPieces:
    match delta.type:
        case "text_delta":
            return BlockPieces(index=index, text=delta.text)
        case "input_json_delta":
            return BlockPieces(index=index, partial_json=delta.partial_json)
        case "thinking_delta":
            return BlockPieces(index=index, thinking=delta.thinking)
        case "citations_delta":
            return BlockPieces(index=index, citations=[delta.citation])
    return BlockPieces(index=index, values=_replacements(delta))


def _replacements(delta: Any) -> dict[str, Any]:
    match delta.type:
        case "signature_delta":
            return {"signature": delta.signature}
        case "compaction_delta":
            return {"content": delta.content, "encrypted_content": delta.encrypted_content}
    return {}


def _changes(event: Any) -> dict[str, Any]:
    """The stop reason and its company as they are, other values where they are given."""
    stop = {name: value for name, value in event.delta if name.startswith("stop_")}
    given = {**_given_values(event), **_given_values(event.delta)}
    return stop | {k: v for k, v in given.items() if k not in _NOT_OF_THE_MESSAGE}


def _given_values(model: Any) -> dict[str, Any]:
    return {name: value for name, value in model if value is not None}


def message_of(pieces: MessagePieces) -> Any:
    """The SDK's message.

    A tool's input may be cut off, and is then what can be read of it; what is not JSON stays text.

    Raises:
        ValueError: No `message_start` has arrived.
    """
    if pieces.start is None:
        raise ValueError("no message_start has arrived: there is no message to build on")
    content = [_build_block(block) for block in pieces.content or () if block.start is not None]
    usage = pieces.start.usage.model_copy(update=pieces.usage or {})
    values = {**(pieces.values or {}), "content": content, "usage": usage}
    return pieces.start.model_copy(update=values)


def _build_block(pieces: BlockPieces) -> Any:
    start, values = pieces.start, dict(pieces.values or {})
    for name in ("text", "thinking", "citations"):
        piece = getattr(pieces, name)
        if piece is not None:
            known = getattr(start, name, None)
            values[name] = (known or type(piece)()) + piece
    if pieces.partial_json:
        values["input"] = _read_input(pieces.partial_json)
    return start.model_copy(update=values)


def _read_input(text: str) -> Any:
    try:
        return from_json(text, allow_partial=True)
    except ValueError:
        return text
