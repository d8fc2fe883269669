"""The schema of an answer, as OpenAI enforces it."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from arc_core.wire import sendable_name, strict_schema

__all__ = ["schema_format"]


def schema_format(schema: type[BaseModel] | Mapping[str, Any]) -> dict[str, Any] | None:
    """Name, strictness and schema; None if the vendor's subset cannot say it.

    The prompt's instruction is alone then.
    """
    if isinstance(schema, type):
        name = schema.__name__
        written: Mapping[str, Any] = schema.model_json_schema()
    else:
        name, written = str(schema.get("title", "answer")), schema
    strict = strict_schema(written, all_required=True)
    if strict is None:
        return None
    return {"name": sendable_name(name), "strict": True, "schema": strict}
