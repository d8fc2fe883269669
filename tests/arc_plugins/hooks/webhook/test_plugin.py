"""The webhook is off until it has an address."""

from arc_core import Hook
from arc_plugins.hooks.webhook import plugin
from arc_plugins.hooks.webhook.hook import WebhookHook
from tests.arc_plugins.registrations import registrations_of
from tests.arc_plugins.wired import wired


def test_it_takes_part_where_it_has_an_address() -> None:
    """The condition names its setting."""
    registration = registrations_of(plugin)["webhook"]

    assert registration.interface is Hook
    assert registration.imported() is WebhookHook
    assert str(registration.condition) == "setting webhook.url is set"


def test_it_is_off_until_asked_for_and_the_report_says_how() -> None:
    """The setting wires it; without it, the reason names the setting."""
    assert "webhook" in wired(Hook, webhook={"url": "https://h.example"}).winners
    assert "webhook.url" in wired(Hook).reasons["webhook"]
