"""The language model.

The engine asks it once per turn, `complete` for `execute()` and `stream` for the streaming entry
points, with retries of its own around it. A chat model translates its vendor's exceptions into
`ModelError`s, does no retries, and closes its connection whenever the stream's iteration ends, is
left or is cancelled.
"""

from abc import abstractmethod
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar, dataclass_transform, runtime_checkable

from pydantic import BaseModel

from arc_core.command import ReasoningEffort, ResponseFormat
from arc_core.components.extension_points import kept_by_wrappers, slot
from arc_core.interfaces.tools.tool import Tool
from arc_core.messages import AssistantMessage, Message, Reasoning
from arc_core.messages.content import Part
from arc_core.usage import FinishReason as FinishReason
from arc_core.usage import TokenUsage

ToolChoice = Literal["auto", "none", "required"] | str
"""True if the model may call tools, must call one, or must call the one of a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One question to the model.

    Attributes:
        system_prompt: Instructions; None or empty sends none.
        messages: Oldest first.
        tools: On offer, unique by name; stays filled when `tool_choice` is `none`, for vendors that
            demand it.
        tool_choice: `none` when the model may not call tools now, `required` when it has to call
            one, and the name of one of `tools` when it has to call that one.
        model: The vendor's model name; None is the plugin's default.
        temperature: Sent only when not None.
        max_output_tokens: Upper bound of the answer.
        response_format: Native structured output is to be used if the vendor has it.
        response_schema: A pydantic class or a JSON Schema.
        reasoning: How much to think; None leaves it to the vendor.
        cache_key: The same for all requests of a session and of no other, for vendors that keep
            the beginnings of requests by it; None for a run without a session.
        stable_messages: How many of the first messages the next request of the session will begin
            with as well, as far as one can tell; a vendor may be asked to keep them until then. In
            the first request of a run these are the history, and the user message if it is stored
            as it is sent, without documents in front. Once the model has called tools and may call
            more, they are all messages, documents included.
    """

    messages: tuple[Message, ...]
    system_prompt: str | None = None
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"
    model: str | None = None
    temperature: float | None = None
    max_output_tokens: int | None = None
    response_format: ResponseFormat = ResponseFormat.TEXT
    response_schema: type[BaseModel] | Mapping[str, Any] | None = None
    reasoning: ReasoningEffort | None = None
    cache_key: str | None = None
    stable_messages: int = 0


@dataclass(frozen=True, slots=True)
class ChatResponse:
    """The model's answer, whole.

    Attributes:
        message: Text, tool calls and reasoning.
        usage: None if the vendor reports none.
        finish_reason: None if the vendor reports none.
    """

    message: AssistantMessage
    usage: TokenUsage | None = None
    finish_reason: FinishReason | None = None


_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def _frozen_for_type_checkers(cls: type[_T]) -> type[_T]:
    """Make a dataclass, since an instance of a frozen one takes four times as long to make."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of a tool call; pieces of one `index` belong to one call.

    Attributes:
        index: The call's place in the message.
        id: Given once, usually in the first piece.
        name: Appended.
        arguments: Appended.
    """

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str | None = None


@_frozen_for_type_checkers
class ChatDelta:
    """A piece of the model's answer; what is None or empty says nothing new.

    Attributes:
        text: Appended.
        tool_calls: Pieces of tool calls.
        usage: Replaces what was reported before.
        finish_reason: Replaces what was reported before.
        vendor_content: Goes into `AssistantMessage.vendor_content`, replacing what was there.
        reasoning: A piece of what the model thinks, appended; people may see it as it comes.
        reasoning_blocks: What the model thought, whole and signed, for
            `AssistantMessage.reasoning`, replacing what was there; without any, the message gets
            the pieces as one block.
        content: The answer whole, if it has images, for `AssistantMessage.content`, in the place
            of the pieces of text, which it has as well.
    """

    text: str | None = None
    tool_calls: tuple[ToolCallDelta, ...] = ()
    usage: TokenUsage | None = None
    finish_reason: FinishReason | None = None
    vendor_content: object = None
    reasoning: str | None = None
    reasoning_blocks: tuple[Reasoning, ...] = ()
    content: tuple[Part, ...] = ()


@kept_by_wrappers("accepts", "accepts_address", "announcement", "default_model", "provider_name")
@slot("chat_model", group="arc.chat_models", choice="llm.provider", instances="llm.models")
@runtime_checkable
class ChatModel(Protocol):
    """A language model of some vendor."""

    @abstractmethod
    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The whole answer.

        Raises:
            ModelError: The vendor could not or would not answer.
        """

    @abstractmethod
    def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """The answer in pieces, as they come.

        Raises:
            ModelError: As `complete`, at any piece; `IncompleteStreamError` if the vendor's end
                is missing.
        """
