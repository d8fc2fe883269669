"""Hides the values of secret-looking names before they reach a log."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

__all__ = ["MASK", "mask_secrets"]

MASK = "***"

# fmt: off
_SECRET_WORDS = frozenset({
    "apikey", "apikeys", "auth", "authorization", "bearer", "cookie", "cookies", "credential",
    "credentials", "jwt", "passphrase", "passwd", "password", "passwords", "pin", "pwd", "secret",
    "secrets", "ssn", "token",
})
# fmt: on
_SECRET_PAIRS = frozenset(
    (word, key) for word in ("access", "api", "private", "signing") for key in ("key", "keys")
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def mask_secrets(values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy in which the value of every secret-looking name is `***`, at every depth."""
    return {name: MASK if _is_secret(name) else _masked(value) for name, value in values.items()}


def _is_secret(name: str) -> bool:
    """Whether a name has a secret word in it: `userToken` has, `tokenizer` has not."""
    words = [word.lower() for word in _WORD.findall(name)]
    return not _SECRET_WORDS.isdisjoint(words) or any(
        pair in _SECRET_PAIRS for pair in pairwise(words)
    )


def _masked(value: Any) -> Any:
    if isinstance(value, Mapping):
        return mask_secrets(value)
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    return value
