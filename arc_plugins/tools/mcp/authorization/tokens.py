"""The tokens that a server is given: told apart, and never said back."""

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

_MASK = "***"


def hash_tokens(tokens: Mapping[str, str]) -> str:
    """Return a text that is another one for other tokens, and tells nothing of them."""
    return hashlib.sha256(json.dumps(sorted(tokens.items())).encode()).hexdigest()


def mask_tokens(value: Any, tokens: Collection[str]) -> Any:
    """Return what a server has sent, JSON or a text, without the tokens that it was given."""
    if isinstance(value, str):
        for token in tokens:
            value = value.replace(token, _MASK)
        return value
    if isinstance(value, list):
        return [mask_tokens(each, tokens) for each in value]
    if isinstance(value, dict):
        items = value.items()
        return {mask_tokens(name, tokens): mask_tokens(each, tokens) for name, each in items}
    return value
