"""From the events of a streamed response to deltas."""

from collections.abc import Mapping
from itertools import product
from operator import attrgetter
from typing import Any

from arc_core import ChatDelta, ToolCallDelta
from arc_core.wire import ServerSentEvent, json_value
from arc_core.wire.http_chat_model import PayloadError
from arc_core.wire.model_stream import unless_empty
from arc_plugins.models.openai.responses.decode import (
    Item,
    check_status,
    has_refusal,
    keep_vendor_content,
    read_finish_reason,
    read_message_text,
    read_reasoning,
    read_summary,
    read_usage,
)

_TEXT = "response.output_text.delta"
_PARAGRAPH = "\n\n"
_MESSAGE = {"type": "message"}
_REASONING = {"type": "reasoning"}
_ANY = object()  # of items that do not say theirs


class ResponseEventDecoder:
    """Decodes one stream. Events and items of unknown types add nothing to what is handed out.

    Items are told apart by their index, since gateways change ids on their way; an index that is
    announced again with another item is a further item.
    """

    def __init__(self) -> None:
        self.is_complete = False
        self.is_ended = False
        self._items: list[_StreamedItem] = []
        self._by_index: dict[int, _StreamedItem] = {}
        self._calls = 0
        self._refused = False
        self._paragraph: tuple[object, object] | None = None

    def decode(self, event: ServerSentEvent) -> ChatDelta | None:
        """Return the delta that an event adds to the answer."""
        if self.is_ended:
            return None
        payload = json_value(event[1])
        if payload.get("type") != _TEXT:
            return self._decode_other(payload)
        index, text = payload["output_index"], _read_piece(payload)
        streamed = self._by_index.get(index) or self._open(index, _MESSAGE)
        streamed.pieces.append(text)
        return ChatDelta(text) if text else None

    def _decode_other(self, payload: Mapping[str, Any]) -> ChatDelta | None:
        delta = None
        match payload.get("type"):
            case "response.function_call_arguments.delta":
                delta = self._add_arguments(payload["output_index"], _read_piece(payload))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                delta = self._add_reasoning(payload)
            case "response.output_item.added":
                delta = self._announce(payload["output_index"], payload["item"])
            case "response.output_item.done":
                delta = self._complete(payload["output_index"], payload["item"])
            case "response.refusal.delta":
                self._refused = True
            case "response.completed" | "response.incomplete" | "response.failed":
                delta = self._finish(payload["response"])
            case "error":
                raise PayloadError(payload.get("error") or {**payload, "type": None})
        return delta

    def _announce(self, index: int, item: Item) -> ChatDelta | None:
        known = self._by_index.get(index)
        if known is not None and known.is_announced_by(item):
            return None
        streamed = self._open(index, item)
        return self._start_call(streamed) if item.get("type") == "function_call" else None

    def _open(self, index: int, item: Item) -> "_StreamedItem":
        streamed = self._by_index[index] = _StreamedItem(index, item)
        self._items.append(streamed)
        return streamed

    def _start_call(self, streamed: "_StreamedItem") -> ChatDelta:
        item = streamed.item
        streamed.place, self._calls = self._calls, self._calls + 1
        begun = ToolCallDelta(streamed.place, str(item.get("call_id") or ""), str(item["name"]))
        return ChatDelta(tool_calls=(begun,))

    def _add_arguments(self, index: int, piece: str) -> ChatDelta | None:
        streamed = self._by_index.get(index)
        if streamed is None or streamed.place is None or not piece:
            return None  # the call comes whole in the end
        streamed.pieces.append(piece)
        return ChatDelta(tool_calls=(ToolCallDelta(streamed.place, arguments=piece),))

    def _add_reasoning(self, payload: Mapping[str, Any]) -> ChatDelta | None:
        index, piece = payload["output_index"], _read_piece(payload)
        streamed = self._by_index.get(index) or self._open(index, _REASONING)
        if not piece:
            return None
        streamed.pieces.append(piece)
        return self._reasoning_delta((streamed, payload.get("summary_index")), piece)

    def _reasoning_delta(self, paragraph: tuple[object, object], text: str) -> ChatDelta:
        """A piece of reasoning; paragraphs are parted as they are in the whole."""
        begins_another = self._paragraph is not None and self._paragraph != paragraph
        self._paragraph = paragraph
        return ChatDelta(reasoning=_PARAGRAPH + text if begins_another else text)

    def _complete(self, index: int, item: Item) -> ChatDelta | None:
        """Take an item as it is in the end, and hand out what was not handed out in pieces."""
        streamed = self._by_index.get(index)
        if streamed is None or (streamed.is_done and not streamed.is_announced_by(item)):
            streamed = self._open(index, item)
        elif streamed.is_done:
            return None
        streamed.item, streamed.is_done = item, True
        return self._find_rest(streamed)

    def _find_rest(self, streamed: "_StreamedItem") -> ChatDelta | None:
        item, delta = streamed.item, ChatDelta()
        match item.get("type"):
            case "function_call":
                begun = self._start_call(streamed).tool_calls if streamed.place is None else ()
                assert streamed.place is not None
                arguments = streamed.find_missing(str(item.get("arguments") or ""))
                rest = (ToolCallDelta(streamed.place, arguments=arguments),) if arguments else ()
                delta = ChatDelta(tool_calls=(*begun, *rest))
            case "message":
                delta = ChatDelta(streamed.find_missing(read_message_text(item)) or None)
            case "reasoning" if not streamed.pieces and read_summary(item):
                delta = self._reasoning_delta((streamed, None), read_summary(item))
        return unless_empty(delta)

    def _finish(self, response: Mapping[str, Any]) -> ChatDelta:
        check_status(response)
        given = []
        known = {_identity(each.item) for each in self._items if each.is_done}
        for index, item in enumerate(response.get("output") or ()):
            at_index = self._by_index.get(index)
            is_done = at_index is not None and at_index.is_done
            same = product((item.get("type"), _ANY), (item.get("id"), _ANY))
            if not is_done and known.isdisjoint(same):  # an index may be another's if some lack
                rest = self._complete(index, item)
                known.add(_identity(item))
                given += [] if rest is None else [rest]
        items = self._items_in_order()
        refused = self._refused or has_refusal(items)
        self.is_complete = self.is_ended = True
        return ChatDelta(
            "".join([rest.text or "" for rest in given]) or None,
            tuple([piece for rest in given for piece in rest.tool_calls]),
            read_usage(response),
            read_finish_reason(response, refused=refused, has_calls=self._calls > 0),
            keep_vendor_content(items),
            "".join([rest.reasoning or "" for rest in given]) or None,
            read_reasoning(items),
        )

    def _items_in_order(self) -> list[Item]:
        """By index, unless their calls have been handed out in another order."""
        in_order = sorted(self._items, key=attrgetter("index"))
        places = [streamed.place for streamed in in_order if streamed.place is not None]
        streamed = in_order if places == sorted(places) else self._items
        return [each.item for each in streamed if each.is_done]


def _identity(item: Item) -> tuple[object, object]:
    return item.get("type", _ANY), item.get("id", _ANY)


class _StreamedItem:
    """An item, and how much of it was handed out."""

    __slots__ = ("index", "is_done", "item", "pieces", "place")

    def __init__(self, index: int, item: Item) -> None:
        self.index = index
        self.item = item
        self.is_done = False
        self.pieces: list[str] = []
        self.place: int | None = None

    def find_missing(self, whole: str) -> str:
        """Return the part of a text that was not handed out, if the rest of it was."""
        handed_out = "".join(self.pieces)
        return whole[len(handed_out) :] if whole.startswith(handed_out) else ""

    def is_announced_by(self, item: Item) -> bool:
        """True if an item is this one, sent again."""
        known = self.item
        return all(item.get(name) == known.get(name, item.get(name)) for name in ("type", "id"))


def _read_piece(payload: Mapping[str, Any]) -> str:
    piece = payload["delta"]
    if isinstance(piece, str):
        return piece
    raise TypeError(f"the piece of {payload['type']} is a {type(piece).__name__}")
