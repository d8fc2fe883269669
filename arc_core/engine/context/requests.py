"""Makes the requests of a run, the same way for each of them."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from arc_core.command import AgentCommand, ResponseFormat, session_key
from arc_core.engine.models.models import RunModel
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.session_memory import SessionMemory
from arc_core.interfaces.conversations.retriever import Document
from arc_core.interfaces.models.chat_model import ChatRequest, ToolChoice
from arc_core.interfaces.tools.tool import Tool
from arc_core.log import get_logger
from arc_core.messages import Message, UserMessage
from arc_core.messages.retrieved_context import HEADING
from arc_core.output_types import OutputType
from arc_core.tools.json_schema import get_json_schema


def request_schema(command: AgentCommand) -> type[BaseModel] | Mapping[str, Any] | None:
    """The schema as a chat request has it: a pydantic class or a JSON Schema."""
    declared = command.response_schema
    if declared is None or isinstance(declared, Mapping):
        return declared
    return OutputType.of(declared).request_schema


_INSTRUCTIONS = {
    ResponseFormat.JSON: "You MUST respond with valid JSON only.",
    ResponseFormat.YAML: "You MUST respond with valid YAML only.",
}


def system_prompt(command: AgentCommand, *, instructions: str, context: str) -> str:
    """The parts that are there, joined by a blank line; none is interpreted as a template."""
    parts = [instructions, f"{HEADING}\n{context}" if context else "", response_format(command)]
    return "\n\n".join(filter(None, parts))


def response_format(command: AgentCommand) -> str:
    """Return the instructions about the form of the answer; empty for text."""
    if command.response_format is ResponseFormat.TEXT:
        return ""
    instruction = f"[Response Format]\n{_INSTRUCTIONS[command.response_format]}"
    schema = request_schema(command)
    if schema is None:
        return instruction
    text = json.dumps(get_json_schema(schema), ensure_ascii=False)
    return f"{instruction}\n\nExpected JSON schema:\n{text}"


def retrieved_context(documents: Sequence[Document], *, costs: TokenCosts, max_tokens: int) -> str:
    """The best documents that fit, each with its source, best first; blank ones say nothing."""
    parts: list[str] = []
    for document in documents:
        if not document.text.strip():
            continue
        part = f"Source: {document.source}\n{document.text}" if document.source else document.text
        max_tokens -= costs.of_text(part)
        if max_tokens < 0:
            break
        parts.append(part)
    return "\n\n".join(parts)


def chat_request(
    command: AgentCommand,
    model: RunModel,
    *,
    system_prompt: str,
    messages: tuple[Message, ...],
    tools: tuple[Tool, ...] = (),
    tool_choice: ToolChoice = "none",
    stable_messages: int = 0,
) -> ChatRequest:
    """A question to the model, with the command's options, else those of its settings."""
    llm = model.llm
    return ChatRequest(
        system_prompt=system_prompt,
        messages=messages,
        tools=tools,
        tool_choice=tool_choice,
        model=model.vendor_model(command),
        temperature=llm.temperature if command.temperature is None else command.temperature,
        max_output_tokens=llm.max_output_tokens,
        response_format=command.response_format,
        reasoning=llm.reasoning,
        response_schema=request_schema(command),
        cache_key=session_key(command),
        stable_messages=stable_messages,
    )


logger = get_logger("turns")

_MAX_SESSIONS = 1_000


class PromptBreaks:
    """Compares each request of a session with the one before."""

    def __init__(self) -> None:
        self._sent: SessionMemory[ChatRequest] = SessionMemory(max_sessions=_MAX_SESSIONS)

    def report(self, request: ChatRequest) -> None:
        """Write a debug line if the request begins anew; nothing happens without a session."""
        key = request.cache_key
        if key is None or not logger.isEnabledFor(logging.DEBUG):
            return
        before = self._sent.get(key)
        self._sent.put(key, request)
        if before is not None and (causes := list(_differences(before, request))):
            logger.debug("a request begins otherwise than the one before", broken_by=causes)


def _differences(before: ChatRequest, now: ChatRequest) -> Iterator[str]:
    """Return the parts that differ, in the order of a prompt."""
    if before.model != now.model:
        yield "model"
    if before.tools != now.tools:
        yield "tools"
    if before.system_prompt != now.system_prompt:
        yield "system prompt"
    if before.tools and before.tool_choice != now.tool_choice:
        yield "tool choice"
    history = _get_history(before)
    if now.messages[:1] != history[:1] and history:
        yield "history cut"
    elif now.messages[: len(history)] != history:
        yield "history changed"


def _get_history(request: ChatRequest) -> tuple[Message, ...]:
    """Return the messages before the question, whose documents do not come again."""
    messages = request.messages
    places = range(len(messages) - 1, -1, -1)
    last = next((place for place in places if isinstance(messages[place], UserMessage)), 0)
    return messages[:last]
