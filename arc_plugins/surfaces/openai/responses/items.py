"""The items that a response puts out, each with the events that tell of it."""

from abc import ABC, abstractmethod
from base64 import b64encode
from typing import Any, Literal

from openai.types import responses
from openai.types.responses.response_output_item import McpCall
from openai.types.responses.response_reasoning_item import Summary
from openai.types.responses.response_reasoning_summary_part_added_event import Part

from arc_core import Attachment, Text, ToolCall, ToolOutcome, ToolResult, UserMessage
from arc_plugins.surfaces.openai.responses.frames import FrameWriter, make_piece
from arc_plugins.surfaces.openai.templates import Template

Phase = Literal["commentary", "final_answer"]
"""The phase of a message; a client that wants a value reads it from the final answer."""

_SUMMARY: Literal["summary_text"] = "summary_text"


class _OutputItem:
    """An item, which is announced, and told again when it has ended."""

    item: responses.ResponseOutputItem

    def __init__(self, frames: FrameWriter, *, item_id: str, index: int) -> None:
        self._frames, self._id = frames, item_id
        self._place: dict[str, Any] = {"item_id": item_id, "output_index": index}

    def _announce(self) -> None:
        index = self._place["output_index"]
        self._frames.add(responses.ResponseOutputItemAddedEvent, item=self.item, output_index=index)

    def _end(self) -> None:
        index = self._place["output_index"]
        self._frames.add(responses.ResponseOutputItemDoneEvent, item=self.item, output_index=index)


class TextItem(_OutputItem, ABC):
    """An item that grows by pieces of text."""

    _piece: Template

    def __init__(self, frames: FrameWriter, *, item_id: str, index: int) -> None:
        super().__init__(frames, item_id=item_id, index=index)
        self._texts: list[str] = []

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._texts)

    def add(self, text: str) -> None:
        """Go on."""
        self._texts.append(text)
        self._frames.add_piece(self._piece, text)

    @abstractmethod
    def close(self, text: str, *, is_whole: bool = True) -> None:
        """End it."""


class MessageItem(TextItem):
    """An item with the text of the model."""

    def __init__(
        self, frames: FrameWriter, *, item_id: str, index: int, phase: Phase | None = None
    ) -> None:
        super().__init__(frames, item_id=item_id, index=index)
        self.phase = phase
        self.item = self._build("in_progress")
        self._announce()
        self._part: dict[str, Any] = {**self._place, "content_index": 0}
        frames.add(responses.ResponseContentPartAddedEvent, part=_text_part(""), **self._part)
        self._piece = make_piece(responses.ResponseTextDeltaEvent, logprobs=[], **self._part)

    def close(self, text: str, *, is_whole: bool = True) -> None:
        """End it."""
        part = _text_part(text)
        self.item = self._build("completed" if is_whole else "incomplete", part)
        if is_whole:
            if self.phase != "commentary":  # clients read a value from each text that is done
                self._frames.add(
                    responses.ResponseTextDoneEvent, text=text, logprobs=[], **self._part
                )
            self._frames.add(responses.ResponseContentPartDoneEvent, part=part, **self._part)
        self._end()

    def _build(
        self, status: str, *parts: responses.ResponseOutputText
    ) -> responses.ResponseOutputMessage:
        said: dict[str, Any] = {} if self.phase is None else {"phase": self.phase}
        return responses.ResponseOutputMessage.construct(
            id=self._id, content=[*parts], role="assistant", status=status, type="message", **said
        )


class ReasoningItem(TextItem):
    """An item with the reasoning of the model."""

    def __init__(self, frames: FrameWriter, *, item_id: str, index: int) -> None:
        super().__init__(frames, item_id=item_id, index=index)
        self.item = responses.ResponseReasoningItem(id=item_id, summary=[], type="reasoning")
        self._announce()
        self._part: dict[str, Any] = {**self._place, "summary_index": 0}
        part = Part(text="", type=_SUMMARY)
        frames.add(responses.ResponseReasoningSummaryPartAddedEvent, part=part, **self._part)
        self._piece = make_piece(responses.ResponseReasoningSummaryTextDeltaEvent, **self._part)

    def close(self, text: str, *, is_whole: bool = True) -> None:
        """End it."""
        summary = Summary(text=text, type=_SUMMARY)
        self.item = responses.ResponseReasoningItem(
            id=self._id, summary=[summary], type="reasoning"
        )
        if is_whole:
            self._frames.add(
                responses.ResponseReasoningSummaryTextDoneEvent, text=text, **self._part
            )
            self._frames.add(
                responses.ResponseReasoningSummaryPartDoneEvent, part=summary, **self._part
            )
        self._end()


class CallItem(_OutputItem):
    """A call of a tool."""

    def __init__(
        self, frames: FrameWriter, call: ToolCall, *, item_id: str, index: int, server: str
    ) -> None:
        super().__init__(frames, item_id=item_id, index=index)
        self.call = call
        self.item = McpCall(
            id=item_id,
            arguments=call.arguments,
            name=call.name,
            server_label=server,
            type="mcp_call",
            status="in_progress",
        )
        self._announce()
        frames.add(responses.ResponseMcpCallInProgressEvent, **self._place)

    def close(self, result: ToolResult) -> None:
        """End it with what the tool gave."""
        is_good = result.outcome is ToolOutcome.SUCCESS
        status = "completed" if is_good else "failed"
        self.item = self.item.model_copy(update={"status": status, "output": result.text})
        kind = (
            responses.ResponseMcpCallCompletedEvent
            if is_good
            else responses.ResponseMcpCallFailedEvent
        )
        self._frames.add(kind, **self._place)
        self._end()

    def leave(self) -> None:
        """End it without a result."""
        self.item = self.item.model_copy(update={"status": "incomplete"})
        self._end()


class WaitingCallItem(_OutputItem):
    """A call of a function that waits for what the client says of it."""

    def __init__(self, frames: FrameWriter, call: ToolCall, *, item_id: str, index: int) -> None:
        super().__init__(frames, item_id=item_id, index=index)
        self.item = responses.ResponseFunctionToolCall(
            id=item_id,
            call_id=call.id,
            name=call.name,
            arguments="",
            type="function_call",
            status="in_progress",
        )
        self._announce()
        whole = {"arguments": call.arguments, "status": "completed"}
        self.item = self.item.model_copy(update=whole)
        place = self._place
        frames.add(responses.ResponseFunctionCallArgumentsDeltaEvent, delta=call.arguments, **place)
        frames.add(
            responses.ResponseFunctionCallArgumentsDoneEvent,
            arguments=call.arguments,
            name=call.name,
            **place,
        )
        self._end()


def _text_part(text: str) -> responses.ResponseOutputText:
    return responses.ResponseOutputText(annotations=[], text=text, type="output_text")


def make_input_item(message: UserMessage, run_id: str) -> dict[str, Any]:
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


def _make_input_part(part: object) -> dict[str, Any]:
    if not isinstance(part, Attachment):
        return {"type": "input_text", "text": getattr(part, "text", "")}
    address = part.url
    if address is None:
        address = f"data:{part.media_type};base64,{b64encode(part.data or b'').decode()}"
    if part.media_type.startswith("image/"):
        return {"type": "input_image", "image_url": address, "detail": "auto"}
    place = "file_data" if part.url is None else "file_url"
    return {"type": "input_file", place: address, "filename": part.name}
