"""Answers as Redis keeps them: JSON with a version, so that no release misreads another's."""

import json
from typing import Any

from arc_core import CachedResponse, TokenUsage

__all__ = ["MAX_ENTRY_BYTES", "decode", "encode"]

MAX_ENTRY_BYTES = 1_048_576
"""Larger answers are not kept."""

_VERSION = 1


def encode(response: CachedResponse) -> bytes | None:
    """An answer as it is kept; None if it is blank, or too large for that."""
    if not response.content.strip():
        return None
    usage = response.token_usage
    entry = json.dumps(
        {
            "version": _VERSION,
            "content": response.content,
            "tools_used": response.tools_used,
            "token_usage": usage and [usage.prompt_tokens, usage.completion_tokens],
        }
    ).encode("ascii")
    return entry if len(entry) <= MAX_ENTRY_BYTES else None


def decode(entry: bytes) -> CachedResponse | None:
    """The answer that is kept; None for what this release has not written, and for a blank one."""
    if len(entry) > MAX_ENTRY_BYTES:
        return None
    try:
        fields: Any = json.loads(entry)
    except (ValueError, RecursionError):
        return None
    match fields:
        case {
            "version": 1,
            "content": str(content),
            "tools_used": [*tools_used],
            "token_usage": None | [int(), int()] as usage,
        } if content.strip() and all(isinstance(name, str) for name in tools_used):
            return CachedResponse(
                content=content,
                tools_used=tuple(tools_used),
                token_usage=None if usage is None else TokenUsage(*usage),
            )
    return None
