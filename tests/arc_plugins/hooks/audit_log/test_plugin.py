"""The audit log is off until it is switched on."""

from arc_core import Hook
from arc_plugins.hooks.audit_log import plugin
from arc_plugins.hooks.audit_log.hook import AuditLogHook
from tests.arc_plugins.registrations import registrations_of
from tests.arc_plugins.wired import wired


def test_it_takes_part_where_it_is_enabled() -> None:
    """The condition names its setting."""
    registration = registrations_of(plugin)["audit_log"]

    assert registration.interface is Hook
    assert registration.imported() is AuditLogHook
    assert str(registration.condition) == "setting audit.enabled is set"


def test_it_is_off_until_asked_for_and_the_report_says_how() -> None:
    """The setting wires it; without it, the reason names the setting."""
    assert "audit_log" in wired(Hook, audit={"enabled": True}).winners
    assert "audit.enabled" in wired(Hook).reasons["audit_log"]
