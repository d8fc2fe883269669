"""What leaves for a file has neither secrets nor personal data."""

from collections.abc import Sequence

import pytest

from arc_core import ConfigurationError, TextMask
from arc_core.testing.conformance.guards.text_mask import TextMaskConformance
from arc_plugins.output_guards.leak_detection import plugin
from arc_plugins.output_guards.leak_detection.text_masks import PersonalDataTextMask, SecretTextMask


class TestSecretTextMask(TextMaskConformance):
    """It keeps the rules of all masks."""

    texts: Sequence[str] = ("password=hunter2-hunter2", "ghp_" + "a1B2" * 9)

    def make_mask(self) -> TextMask:
        return SecretTextMask()


class TestPersonalDataTextMask(TextMaskConformance):
    """It keeps the rules of all masks."""

    texts: Sequence[str] = ("ann@example.com", "+1 202 555 0123")

    def make_mask(self) -> TextMask:
        return PersonalDataTextMask()


async def test_without_its_extra_nothing_is_masked_as_personal_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The error says what to install, and nothing leaves."""
    monkeypatch.setattr(plugin, "find_spec", lambda _name: None)

    with pytest.raises(ConfigurationError, match=r'pip install "arc-agents\[guards\]"'):
        await PersonalDataTextMask().mask("ann@example.com")
