"""What a chat model is told of the schema that an answer must satisfy."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from arc_core.command import AgentCommand
from arc_core.output_types import OutputType

__all__ = ["request_schema"]


def request_schema(command: AgentCommand) -> type[BaseModel] | Mapping[str, Any] | None:
    """The schema as a chat request has it: a pydantic class or a JSON Schema."""
    declared = command.response_schema
    if declared is None or isinstance(declared, Mapping):
        return declared
    return OutputType.of(declared).request_schema
