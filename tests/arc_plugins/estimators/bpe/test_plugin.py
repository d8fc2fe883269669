"""The exact count is wired where it is chosen, and says what is missing where it cannot be."""

import pytest

from arc_core import TokenEstimator
from arc_plugins.estimators.bpe import plugin
from tests.arc_plugins.registrations import RecordingRegistry
from tests.arc_plugins.wired import wired


def test_it_takes_part_where_it_is_chosen_and_installed() -> None:
    """The condition names the setting, and the extra that brings the library."""
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    registration = registry.registrations["bpe"]
    assert registration.interface is TokenEstimator
    assert "setting components.token_estimator is 'bpe'" in str(registration.condition)
    assert "arc-agents[tokens]" in str(registration.condition)


def test_its_place_can_be_imported() -> None:
    """The text that is registered leads to an estimator."""
    pytest.importorskip("bpe_openai", reason="needs the extra tokens")
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    assert registry.registrations["bpe"].imported().__name__ == "BpeTokenEstimator"


def test_the_setting_wires_it() -> None:
    """Chosen by name, it takes the slot from the default."""
    pytest.importorskip("bpe_openai", reason="needs the extra tokens")

    chosen = wired(TokenEstimator, components={"token_estimator": "bpe"})

    assert chosen.winners == ["bpe"]
    assert wired(TokenEstimator).winners == ["heuristic"]
