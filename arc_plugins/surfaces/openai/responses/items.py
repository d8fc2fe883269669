"""The items that a response puts out, each with the events that tell of it.

Events are numbered so that a reader can go on after any of them. The number of one is made from the
number of the run's event that it tells: with places for 16 after each. It is the same at every
reading, in every process, and it rises; it has gaps.
"""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field

from arc_core import Attachment, Text, ToolCall, ToolOutcome, ToolResult, UserMessage
from arc_plugins.surfaces.openai.frames import PIECE, Template, write_json

PLACES = 16
"""More than the events of a response that one event of a run can become."""

_NUMBER = 987_654_321_012


class FrameWriter:
    """Writes events one after the other, and keeps those that the reader has not."""

    def __init__(self, after: int | None) -> None:
        self._after = -1 if after is None else after
        self._last = -1
        self._written: list[bytes] = []

    def enter(self, seq: int) -> None:
        """Go on with what the run's event of this number becomes."""
        self._last = max(self._last, seq * PLACES - 1)

    def add(self, kind: str, **fields: object) -> None:
        """Write an event."""
        self._last += 1
        if self._last > self._after:
            self._written.append(_write(kind, **fields, sequence_number=self._last))

    def add_piece(self, piece: Template, text: str) -> None:
        """Write an event that differs from others by its text alone."""
        self._last += 1
        if self._last > self._after:
            self._written.append(piece.fill(text, self._last))

    def take(self) -> bytes:
        """Return the frames since the last time."""
        taken = b"".join(self._written)
        self._written.clear()
        return taken


def _write(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {write_json({'type': kind, **fields})}\n\n".encode()


class OutputItem:
    """An item, which is announced, and told again when it has ended."""

    def __init__(self, frames: FrameWriter, *, item_id: str, index: int, **fields: object) -> None:
        self.item: dict[str, object] = {"id": item_id, **fields}
        self._frames = frames
        self._place: Mapping[str, object] = {"item_id": item_id, "output_index": index}
        self._tell("added")

    def end(self, **fields: object) -> None:
        """End it, with these fields in the place of those it had."""
        self.item |= fields
        self._tell("done")

    def _tell(self, state: str) -> None:
        index = self._place["output_index"]
        self._frames.add(f"response.output_item.{state}", item=self.item, output_index=index)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextKind:
    """The words for an item that grows by pieces of text, and for its one part.

    `parts` is the field that has the part, `place` the one by which events say which part it is.
    """

    prefix: str
    item: Mapping[str, object]
    parts: str
    place: str
    part: Mapping[str, object]
    part_event: str
    text_event: str
    text_fields: Mapping[str, object] = field(default_factory=dict)


MESSAGE = TextKind(
    prefix="msg",
    item={"type": "message", "role": "assistant", "status": "in_progress"},
    parts="content",
    place="content_index",
    part={"type": "output_text", "annotations": []},
    part_event="response.content_part",
    text_event="response.output_text",
    text_fields={"logprobs": []},
)
REASONING = TextKind(
    prefix="rs",
    item={"type": "reasoning"},
    parts="summary",
    place="summary_index",
    part={"type": "summary_text"},
    part_event="response.reasoning_summary_part",
    text_event="response.reasoning_summary_text",
)


class TextItem(OutputItem):
    """An item with the text or the reasoning of the model."""

    def __init__(
        self, frames: FrameWriter, kind: TextKind, *, item_id: str, index: int, **fields: object
    ) -> None:
        fields = {**kind.item, kind.parts: [], **fields}
        super().__init__(frames, item_id=item_id, index=index, **fields)
        self.kind = kind
        place = {**self._place, kind.place: 0}
        self._of_text: Mapping[str, object] = {**kind.text_fields, **place}
        self._of_part = place
        frames.add(f"{kind.part_event}.added", part={**kind.part, "text": ""}, **place)
        form = _write(
            f"{kind.text_event}.delta", delta=PIECE, sequence_number=_NUMBER, **self._of_text
        )
        self._piece = Template(form, PIECE, _NUMBER)
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """Go on."""
        self._texts.append(text)
        self._frames.add_piece(self._piece, text)

    def close(self, phase: str, text: str | None = None, *, is_whole: bool = True) -> None:
        """End it with a text, or with what it has grown to; a message gets the phase."""
        kind, is_message = self.kind, self.kind is MESSAGE
        text = "".join(self._texts) if text is None else text
        part = {**kind.part, "text": text}
        if is_whole:
            if not (is_message and phase == "commentary"):  # clients read a value from each
                self._frames.add(f"{kind.text_event}.done", text=text, **self._of_text)
            self._frames.add(f"{kind.part_event}.done", part=part, **self._of_part)
        status = "completed" if is_whole else "incomplete"
        of_message = {"status": status, "phase": phase} if is_message else {}
        self.end(**{kind.parts: [part]}, **of_message)


class CallItem(OutputItem):
    """A call of a tool."""

    def __init__(
        self, frames: FrameWriter, call: ToolCall, *, item_id: str, index: int, server: str
    ) -> None:
        super().__init__(
            frames,
            item_id=item_id,
            index=index,
            type="mcp_call",
            server_label=server,
            name=call.name,
            arguments=call.arguments,
            status="in_progress",
        )
        self.call = call
        frames.add("response.mcp_call.in_progress", **self._place)

    def close(self, result: ToolResult) -> None:
        """End it with what the tool gave."""
        status = "completed" if result.outcome is ToolOutcome.SUCCESS else "failed"
        self._frames.add(f"response.mcp_call.{status}", **self._place)
        self.end(status=status, output=result.text)


class WaitingCallItem(OutputItem):
    """A call of a function that waits for what the client says of it."""

    def __init__(self, frames: FrameWriter, call: ToolCall, *, item_id: str, index: int) -> None:
        super().__init__(
            frames,
            item_id=item_id,
            index=index,
            type="function_call",
            call_id=call.id,
            name=call.name,
            arguments="",
            status="in_progress",
        )
        name, said = "response.function_call_arguments", call.arguments
        frames.add(f"{name}.delta", delta=said, **self._place)
        frames.add(f"{name}.done", arguments=said, name=call.name, **self._place)
        self.end(arguments=said, status="completed")


def make_input_item(message: UserMessage, run_id: str) -> dict[str, object]:
    """Return what the user said, as an item of the input."""
    said = message.content
    parts = (Text(said),) if isinstance(said, str) else said
    return {
        "id": f"msg_{run_id}_input",
        "type": "message",
        "role": "user",
        "status": "completed",
        "content": [_make_input_part(each) for each in parts],
    }


def _make_input_part(part: object) -> dict[str, object]:
    if not isinstance(part, Attachment):
        return {"type": "input_text", "text": getattr(part, "text", "")}
    address = part.url
    if address is None:
        address = f"data:{part.media_type};base64,{b64encode(part.data or b'').decode()}"
    if part.media_type.startswith("image/"):
        return {"type": "input_image", "image_url": address, "detail": "auto"}
    place = "file_data" if part.url is None else "file_url"
    return {"type": "input_file", place: address, "filename": part.name}
