"""The classes of the design's examples, as pydantic models."""

from typing import Annotated

from pydantic import BaseModel

from arc_core.assembly import StreamAppend, StreamIndex, StreamIndexedList

__all__ = ["Choice", "Chunk", "Delta", "Function", "MessageDelta", "ToolCall", "ToolCallDelta"]


class ToolCallDelta(BaseModel):
    """A flat tool call."""

    index: Annotated[int, StreamIndex()]
    id: str | None = None
    name: Annotated[str | None, StreamAppend()] = None
    arguments: Annotated[str | None, StreamAppend()] = None


class MessageDelta(BaseModel):
    """A message with flat tool calls."""

    role: str | None = None
    content: Annotated[str | None, StreamAppend()] = None
    tool_calls: Annotated[list[ToolCallDelta] | None, StreamIndexedList()] = None


class Function(BaseModel):
    """What OpenAI's API puts inside a tool call."""

    name: Annotated[str | None, StreamAppend()] = None
    arguments: Annotated[str | None, StreamAppend()] = None


class ToolCall(BaseModel):
    """A tool call of OpenAI's API."""

    index: Annotated[int, StreamIndex()]
    id: str | None = None
    function: Annotated[Function | None, StreamAppend()] = None


class Delta(BaseModel):
    """A message of OpenAI's API."""

    role: str | None = None
    content: Annotated[str | None, StreamAppend()] = None
    tool_calls: Annotated[list[ToolCall] | None, StreamIndexedList()] = None


class Choice(BaseModel):
    """One of several answers."""

    index: Annotated[int, StreamIndex()]
    delta: Annotated[Delta | None, StreamAppend()] = None
    finish_reason: str | None = None


class Chunk(BaseModel):
    """A chunk of OpenAI's API."""

    id: str | None = None
    choices: Annotated[list[Choice] | None, StreamIndexedList()] = None
