"""Registers the audit log, if `audit.enabled` is set."""

from arc_core import Hook, Registry, hookimpl
from arc_core.conditions import on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """No user is written down who was not meant to be."""
    place = "arc_plugins.hooks.audit_log.hook:AuditLogHook"
    registry.contribute(Hook, place, name="audit_log", condition=on_setting("audit.enabled"))
