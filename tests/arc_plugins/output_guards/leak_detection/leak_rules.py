"""The rules for every guard that masks or rejects what leaks."""

from collections.abc import Sequence

import pytest

from arc_core import OutputGuard, RejectionCategory
from arc_core.testing.conformance.guards.output_guard import OutputGuardConformance
from arc_plugins.output_guards.leak_detection.settings import OutputSettings
from tests.arc_plugins.output_guards.streaming import RejectedError, mask

__all__ = ["LeakGuardRules"]


class LeakGuardRules(OutputGuardConformance):
    """What every output guard must do, and those against leaks beside it.

    Attributes:
        masking: Its settings.
        rejecting: Others, with which it rejects.
        leaks: Texts, and what is left of them.
        harmless: Texts that leave as they are.
    """

    masking: OutputSettings
    rejecting: OutputSettings
    leaks: Sequence[tuple[str, str]]
    harmless: Sequence[str]

    def make_with(self, settings: OutputSettings) -> OutputGuard:
        """Return the guard with these settings."""
        raise NotImplementedError

    def make_guard(self) -> OutputGuard:
        """A guard that masks."""
        return self.make_with(self.masking)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test of each text."""
        if "masked" in metafunc.fixturenames:
            metafunc.parametrize(("text", "masked"), self.leaks)
        elif "harmless_text" in metafunc.fixturenames:
            metafunc.parametrize("harmless_text", self.harmless)

    async def test_a_leak_is_masked(self, text: str, masked: str) -> None:
        """What is around it leaves."""
        assert await mask(self.make_guard(), text) == masked

    async def test_what_only_looks_like_a_leak_leaves(self, harmless_text: str) -> None:
        """As it is."""
        assert await mask(self.make_guard(), harmless_text) == harmless_text

    async def test_a_leak_is_rejected(self) -> None:
        """The category says that it was sensitive, and the reason quotes nothing."""
        guard = self.make_with(self.rejecting)
        text = self.leaks[0][0]

        with pytest.raises(RejectedError) as caught:
            await mask(guard, text)

        assert caught.value.rejection.category is RejectionCategory.SENSITIVE_DATA
        assert text[-8:] not in caught.value.rejection.reason
