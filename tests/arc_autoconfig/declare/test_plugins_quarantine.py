"""Leaving a broken plugin out, or not starting without it."""

from dataclasses import replace

import pytest

from arc_autoconfig.declare.plugins import Fault, PluginState, quarantine
from arc_autoconfig.errors import PluginError
from arc_autoconfig.settings import PluginsSettings
from tests.arc_autoconfig.offers import ACME_PLUGIN


def test_a_quarantined_plugin_keeps_its_cause_and_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One warning says who and why."""
    plugin = quarantine(
        ACME_PLUGIN, PluginsSettings(), fault=Fault("ImportError: no"), is_guard=False
    )

    assert (plugin.state, plugin.cause) == (PluginState.QUARANTINED, "ImportError: no")
    assert plugin.brought == ()
    remedy = "repair or uninstall it, or add 'acme' to plugins.disabled"
    assert [record.getMessage() for record in caplog.records] == [
        f"the plugin {ACME_PLUGIN} is broken and left out: ImportError: no; {remedy}"
    ]


@pytest.mark.parametrize(
    ("settings", "is_guard", "reason"),
    [
        (PluginsSettings(required=("acme",)), True, "plugins.required names it"),
        (PluginsSettings(), True, "it brings a guard, without which nothing must run"),
        (PluginsSettings(strict=True), False, "plugins.strict is on"),
    ],
)
def test_what_must_not_be_left_out_stops(
    *, settings: PluginsSettings, is_guard: bool, reason: str
) -> None:
    """The error says who, why it matters, what is wrong, where, and what to do."""
    with pytest.raises(PluginError) as raised:
        quarantine(ACME_PLUGIN, settings, fault=Fault("ImportError: no"), is_guard=is_guard)

    assert str(raised.value).splitlines() == [
        f"the plugin acme (acme-arc 1.2) is broken, and {reason}",
        "  - ImportError: no",
        "  - its place: acme.plugin",
        "To fix it: repair or uninstall it, or add 'acme' to plugins.disabled",
    ]


def test_code_that_is_not_packaged_cannot_be_left_out() -> None:
    """Who names it in the settings wants it; there is nothing to uninstall or disable."""
    plugin = replace(
        ACME_PLUGIN, name="my_app", known_as="my_app", group="", distribution=None, version=None
    )

    with pytest.raises(PluginError, match=r"my_app \(plugins\.load\) is broken") as raised:
        quarantine(plugin, PluginsSettings(), fault=Fault("ImportError: no"), is_guard=False)

    assert raised.value.remedy == "repair it, or take it out of plugins.load"
