"""The system prompt of a run: instructions, what was retrieved, what form the answer must have."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pydantic

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.engine.token_costs import TokenCosts
from arc_core.interfaces.retriever import Document

__all__ = ["json_schema_of", "retrieved_context", "system_prompt"]

_INSTRUCTIONS = {
    ResponseFormat.JSON: "You MUST respond with valid JSON only.",
    ResponseFormat.YAML: "You MUST respond with valid YAML only.",
}


def system_prompt(command: AgentCommand, *, instructions: str, context: str) -> str:
    """The parts that are there, joined by a blank line; none is interpreted as a template.

    Args:
        command: Brings format and schema.
        instructions: What the agent is told to be.
        context: Retrieved documents; empty for none.
    """
    parts = [instructions]
    if context:
        parts.append(f"[Retrieved Context]\n{context}")
    if command.response_format is not ResponseFormat.TEXT:
        parts.append(f"[Response Format]\n{_INSTRUCTIONS[command.response_format]}")
        if command.response_schema is not None:
            schema = json.dumps(json_schema_of(command.response_schema), ensure_ascii=False)
            parts.append(f"Expected JSON schema:\n{schema}")
    return "\n\n".join(part for part in parts if part)


def json_schema_of(schema: type[pydantic.BaseModel] | Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON Schema of a response schema, whichever form it was given in."""
    return schema if isinstance(schema, Mapping) else schema.model_json_schema()


def retrieved_context(documents: Sequence[Document], *, costs: TokenCosts, max_tokens: int) -> str:
    """The best documents that fit, each with its source, best first."""
    parts: list[str] = []
    for document in documents:
        part = f"Source: {document.source}\n{document.text}" if document.source else document.text
        max_tokens -= costs.of_text(part)
        if max_tokens < 0:
            break
        parts.append(part)
    return "\n\n".join(parts)
