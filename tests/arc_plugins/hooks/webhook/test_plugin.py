"""The webhook is off until it has an address."""

from arc_core import Hook
from arc_plugins.hooks.webhook import plugin
from arc_plugins.hooks.webhook.hook import WebhookHook
from tests.arc_plugins.registrations import RecordingRegistry


def test_it_takes_part_where_it_has_an_address() -> None:
    """The condition names its setting."""
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    registration = registry.registrations["webhook"]
    assert registration.interface is Hook
    assert registration.imported() is WebhookHook
    assert str(registration.condition) == "setting webhook.url is set"
