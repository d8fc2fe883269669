"""Keeps secrets and personal data out of files, by the rules of the output guards.

Always on, whatever `output.*` says of answers. The mask of personal data needs the extra `guards`.
"""

from arc_core import Allowed, ConfigurationError, OutputGuard, OutputGuardRequest, TextMask
from arc_plugins.output_guards.leak_detection.plugin import pii_masking_output_guard
from arc_plugins.output_guards.leak_detection.secrets import SecretLeakOutputGuard
from arc_plugins.output_guards.leak_detection.settings import LeakMode, OutputSettings


class SecretTextMask(TextMask):
    """Masks keys, tokens and passwords as `[secret]`."""

    order = 10

    def __init__(self) -> None:
        self._guard = SecretLeakOutputGuard(settings=OutputSettings(secrets=LeakMode.MASK))

    async def mask(self, text: str) -> str:
        """Return the text without secrets."""
        return await _ask(self._guard, text)


class PersonalDataTextMask(TextMask):
    """Masks personal data as `[email]`, `[phone]` and the like."""

    order = 20

    def __init__(self) -> None:
        self._guard: OutputGuard | None = None

    async def mask(self, text: str) -> str:
        """Return the text without personal data.

        Raises:
            ConfigurationError: The extra is not installed.
        """
        if self._guard is None:
            self._guard = _make_guard()
        return await _ask(self._guard, text)


def _make_guard() -> OutputGuard:
    try:
        return pii_masking_output_guard(OutputSettings(pii=LeakMode.MASK))
    except ConfigurationError as error:
        raise ConfigurationError(
            "personal data cannot be masked, since it cannot be told from other numbers here",
            evidence=error.evidence,
            remedy='pip install "arc-agents[guards]"',
        ) from error


async def _ask(guard: OutputGuard, text: str) -> str:
    result = await guard.check(OutputGuardRequest(text=text, is_final=True))
    return text if not isinstance(result, Allowed) or result.text is None else result.text
