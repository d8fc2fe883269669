"""The system prompt of a run: instructions, what form the answer must have, and what was retrieved.

Documents are different for each question, so they stand here only with `rag.place = "system"`;
usually they stand with the question, and the system prompt is the same over a session.
"""

import json
from collections.abc import Sequence

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.engine.answers.response_schemas import request_schema
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.interfaces.retriever import Document
from arc_core.messages.retrieved_context import HEADING
from arc_core.tools.json_schema import json_schema_of

__all__ = ["response_format", "retrieved_context", "system_prompt"]

_INSTRUCTIONS = {
    ResponseFormat.JSON: "You MUST respond with valid JSON only.",
    ResponseFormat.YAML: "You MUST respond with valid YAML only.",
}


def system_prompt(command: AgentCommand, *, instructions: str, context: str) -> str:
    """The parts that are there, joined by a blank line; none is interpreted as a template.

    Args:
        command: Brings format and schema.
        instructions: What the agent is told to be.
        context: Retrieved documents that stand here; empty for none.
    """
    parts = [
        instructions,
        f"{HEADING}\n{context}" if context else "",
        response_format(command),
    ]
    return "\n\n".join(part for part in parts if part)


def response_format(command: AgentCommand) -> str:
    """What the model is told about the form of its answer; empty for text."""
    if command.response_format is ResponseFormat.TEXT:
        return ""
    instruction = f"[Response Format]\n{_INSTRUCTIONS[command.response_format]}"
    schema = request_schema(command)
    if schema is None:
        return instruction
    text = json.dumps(json_schema_of(schema), ensure_ascii=False)
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
