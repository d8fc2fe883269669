"""Registers the webhook, if `webhook.url` is set."""

from arc_core import Hook, Registry, hookimpl
from arc_core.conditions import on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """Nothing leaves the application before it is told where to."""
    place = "arc_plugins.hooks.webhook.hook:WebhookHook"
    registry.contribute(Hook, place, name="webhook", condition=on_setting("webhook.url"))
