"""Keeps keys, tokens and passwords out of what a model says.

Switched on by `output.secrets`. It knows secrets by their form: the keys of well-known vendors,
private keys in PEM, passwords in addresses, and generated values behind a name such as `api_key`.
One that is spelt with spaces, encoded or translated leaves. Costs microseconds for a piece of a
stream, and holds back 26 characters, and a token until it ends.
"""

from arc_core import GuardResult, OutputGuard, OutputGuardRequest
from arc_plugins.output_guards.leak_detection.assignments import (
    find_assignments,
    find_passwords_in_addresses,
)
from arc_plugins.output_guards.leak_detection.columns import find_in_columns
from arc_plugins.output_guards.leak_detection.scanning import mask_or_reject
from arc_plugins.output_guards.leak_detection.settings import OutputSettings
from arc_plugins.output_guards.leak_detection.tokens import (
    LONGEST_PREFIX_CHARS,
    find_private_keys,
    find_tokens,
)

_RULES = (
    find_tokens,
    find_private_keys,
    find_passwords_in_addresses,
    find_assignments,
    find_in_columns,
)
_REASON = "The answer was stopped because it contained what looks like a key or a password."


class SecretLeakOutputGuard(OutputGuard):
    """Masks secrets as `[secret]`, or rejects the answer."""

    order = 10
    window_chars = LONGEST_PREFIX_CHARS

    def __init__(self, *, settings: OutputSettings) -> None:
        self._mode = settings.secrets

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        """Look for secrets in what has not left yet."""
        return await mask_or_reject(request, _RULES, mode=self._mode, reason=_REASON)
