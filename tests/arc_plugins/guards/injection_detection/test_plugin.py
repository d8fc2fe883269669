"""The injection guard is wired unless it is switched off."""

from structlog.stdlib import BoundLogger
from structlog.testing import CapturingLogger

from arc_core import Guard
from arc_core.settings import GuardSettings
from arc_plugins.guards.injection_detection import plugin
from tests.arc_plugins.registrations import RecordingRegistry


def test_the_guard_takes_part_in_two_of_three_modes() -> None:
    """`off` leaves it out; the report says which setting did."""
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    registration = registry.registrations["injection_detection"]
    assert str(registration.condition).startswith("setting guard.injection_mode is ")
    assert "off" not in str(registration.condition)
    logger = BoundLogger(CapturingLogger(), [], {})
    assert isinstance(registration.imported()(settings=GuardSettings(), logger=logger), Guard)
