"""Which guards look at answers is decided by the settings."""

from typing import Any

import pytest

from arc_core import ConfigurationError, OutputGuard
from arc_plugins.output_guards.leak_detection import plugin
from arc_plugins.output_guards.leak_detection.settings import OutputSettings
from tests.arc_plugins.registrations import RecordingRegistry
from tests.arc_plugins.wired import wired


@pytest.mark.parametrize(
    ("output", "winners"),
    [
        ({}, set()),
        ({"secrets": "mask"}, {"secret_leaks"}),
        ({"pii": "reject"}, {"pii_masking"}),
        ({"links": "mask", "secrets": "off"}, {"links"}),
        (
            {"links": "mask", "secrets": "reject", "pii": "mask"},
            {"links", "secret_leaks", "pii_masking"},
        ),
    ],
)
def test_each_setting_wires_its_guard(output: dict[str, Any], winners: set[str]) -> None:
    """All are off by default."""
    assert set(wired(OutputGuard, output=output).winners) == winners


def test_the_places_lead_to_guards() -> None:
    """Those given as text are imported only if they are used."""
    recording = RecordingRegistry()
    plugin.arc_register(recording)

    for name in ("secret_leaks", "links"):
        guard = recording.registrations[name].imported()(settings=OutputSettings())
        assert isinstance(guard, OutputGuard)


def test_personal_data_needs_an_extra_that_is_here() -> None:
    """With it, the guard is made."""
    assert isinstance(plugin.pii_masking_output_guard(OutputSettings()), OutputGuard)


def test_a_missing_extra_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard must not vanish quietly: the error says what to install."""
    monkeypatch.setattr(plugin, "find_spec", lambda _name: None)

    with pytest.raises(ConfigurationError, match=r'pip install "arc-agents\[guards\]"'):
        plugin.pii_masking_output_guard(OutputSettings())
