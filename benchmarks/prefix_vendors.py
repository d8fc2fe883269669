"""How the vendors' requests and answers look, for `benchmarks.prompt_prefix`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from arc_core import ChatModel
from arc_core.settings import LlmSettings
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel

_ARGUMENTS: Mapping[str, Any] = {
    "number": "A-17",
    "reason": "The letter did not come, and the customer would like to know why. ",
    "language": "en",
    "notify": False,
}


class WritesAnswer(Protocol):
    """Writes the body of an answer, given the text, or the tool that is called and with what."""

    def __call__(
        self, text: str, called: str | None, arguments: Mapping[str, Any] = ..., /
    ) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class VendorForm:
    """How a vendor's requests look.

    Attributes:
        model: Asks the vendor at an address.
        path: Of the address.
        head: What of a body, beside the first message, makes a cut if it changes.
        instructions: The field that has the system prompt; None if it is the first message.
        messages: The field that has the messages.
        answer: Writes the body of an answer.
    """

    model: Callable[[LlmSettings], ChatModel]
    path: str
    head: tuple[str, ...]
    instructions: str | None
    messages: str
    answer: WritesAnswer


def _chat_completion(
    text: str, called: str | None, arguments: Mapping[str, Any] = _ARGUMENTS
) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if called:
        function = {"name": called, "arguments": json.dumps(arguments)}
        calls = [{"id": "call_1", "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if called else "stop"}
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}


def _response(
    text: str, called: str | None, arguments: Mapping[str, Any] = _ARGUMENTS
) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant"}
    item["content"] = content
    if called:
        call = {"call_id": "call_1", "name": called, "arguments": json.dumps(arguments)}
        item = {"id": "fc_1", "type": "function_call", **call}
    return {"id": "resp_1", "object": "response", "status": "completed", "output": [item]}


def _message(
    text: str, called: str | None, arguments: Mapping[str, Any] = _ARGUMENTS
) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    if called:
        block = {"type": "tool_use", "id": "toolu_1", "name": called, "input": arguments}
    reason = "tool_use" if called else "end_turn"
    return {"id": "msg_1", "type": "message", "content": [block], "stop_reason": reason}


VENDORS = {
    "openai chat": VendorForm(
        lambda settings: OpenAIChatModel(settings=settings),
        "/v1", ("tools",), None, "messages", _chat_completion,
    ),
    "openai responses": VendorForm(
        lambda settings: OpenAIResponsesChatModel(settings=settings),
        "/v1", ("tools", "instructions"), "instructions", "input", _response,
    ),
    "anthropic": VendorForm(
        lambda settings: AnthropicChatModel(settings=settings),
        "", ("tools", "system"), "system", "messages", _message,
    ),
}  # fmt: skip
