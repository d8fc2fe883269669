"""The audit log is off until it is switched on."""

from arc_core import Hook
from arc_plugins.hooks.audit_log import plugin
from arc_plugins.hooks.audit_log.hook import AuditLogHook
from tests.arc_plugins.registrations import RecordingRegistry


def test_it_takes_part_where_it_is_enabled() -> None:
    """The condition names its setting."""
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    registration = registry.registrations["audit_log"]
    assert registration.interface is Hook
    assert registration.imported() is AuditLogHook
    assert str(registration.condition) == "setting audit.enabled is set"
