"""Finding installed plugins: what they bring, and what becomes of broken ones."""

import logging
import sys
from typing import Any

import pytest

from arc_autoconfig.declare.candidates import Source
from arc_autoconfig.declare.plugins import PluginState
from arc_autoconfig.errors import PluginError, WiringFrozenError
from arc_core import Hook
from tests.arc_autoconfig.installed import PackageIndex, discovered, names_in, plugin_in

_GOOD = """
    from arc_core import Guard, Hook, hookimpl

    @hookimpl
    def arc_register(registry):
        registry.contribute(Guard, "acme_guard:PiiGuard", name="pii")
        registry.contribute(Hook, "acme_hook:Audit", name="audit")
"""
_HALF = """
    from arc_core import Hook, hookimpl

    @hookimpl
    def arc_register(registry):
        registry.contribute(Hook, "acme_hook:Audit", name="half")
        raise OSError("licence server not found")
"""


def test_a_plugin_brings_its_candidates_with_its_origin(packages: PackageIndex) -> None:
    """Candidates carry plugin, distribution and version; the record says what was brought."""
    packages.install("acme-arc", version="1.2", modules={"acme": _GOOD}, arc={"acme": "acme"})

    discovery = discovered()

    assert names_in(discovery) == ["pii", "audit"]
    origin = next(each.origin for each in discovery.candidates if each.name == "pii")
    assert (origin.plugin, origin.distribution, origin.version) == ("acme", "acme-arc", "1.2")
    plugin = plugin_in(discovery, "acme")
    assert plugin.state is PluginState.LOADED
    assert plugin.brought == ("guards: pii", "hooks: audit")
    assert plugin.load_ms > 0


def test_single_components_are_not_imported(packages: PackageIndex) -> None:
    """Only what is used will be."""
    packages.install(
        "acme-arc", modules={"acme_audit": ""}, arc__hooks={"audit": "acme_audit:Audit"}
    )

    discovery = discovered()

    assert names_in(discovery) == ["audit"]
    assert "acme_audit" not in sys.modules


def test_a_disabled_plugin_is_not_imported(packages: PackageIndex) -> None:
    """Disabling comes before importing, and is recorded."""
    packages.install("acme-arc", modules={"acme": _GOOD}, arc={"acme": "acme"})

    discovery = discovered(disabled=["acme"])

    assert names_in(discovery) == []
    assert "acme" not in sys.modules
    assert plugin_in(discovery, "acme").state is PluginState.DISABLED


def test_without_third_parties_only_arcs_own_are_loaded(packages: PackageIndex) -> None:
    """Those of others are recorded as not enabled, and lines of `plugins.load` are not read."""
    packages.install("acme-arc", modules={"acme": _GOOD}, arc={"acme": "acme"})

    discovery = discovered(third_party=False, load=["nowhere"])

    assert all(each.origin.source is Source.DEFAULT for each in discovery.candidates)
    assert discovery.candidates
    assert plugin_in(discovery, "acme").state is PluginState.NOT_ENABLED


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named"),
        (_HALF, "OSError: licence server not found"),
        ("def arc_register(registry): ...", "acme registers nothing"),
    ],
    ids=["import", "half registration", "no hook"],
)
def test_a_broken_plugin_is_left_out_with_one_warning(
    packages: PackageIndex, caplog: pytest.LogCaptureFixture, source: str, cause: str
) -> None:
    """Nothing of it remains, the others work, and the warning says who and why."""
    packages.install("acme-arc", version="1.2", modules={"acme": source}, arc={"acme": "acme"})
    packages.install("good-arc", modules={"good": _GOOD}, arc={"good": "good"})

    discovery = discovered()

    assert names_in(discovery) == ["pii", "audit"]
    plugin = plugin_in(discovery, "acme")
    assert plugin.state is PluginState.QUARANTINED
    assert cause in str(plugin.cause)
    (record,) = (each for each in caplog.records if each.levelno == logging.WARNING)
    assert "acme (acme-arc 1.2)" in record.getMessage()
    assert cause in record.getMessage()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"strict": True}, "plugins.strict is on"), ({"required": ["acme"]}, "plugins.required")],
)
def test_a_broken_plugin_stops_where_it_must_not_be_left_out(
    packages: PackageIndex, settings: dict[str, Any], reason: str
) -> None:
    """The error names plugin, distribution, version, cause, and how to go on without it."""
    packages.install("acme-arc", version="1.2", modules={"acme": _HALF}, arc={"acme": "acme"})

    with pytest.raises(PluginError, match=r"acme \(acme-arc 1\.2\)") as raised:
        discovered(**settings)

    assert reason in raised.value.description
    assert "licence server" in raised.value.evidence[0]
    assert "plugins.disabled" in raised.value.remedy


def test_a_guards_entry_point_that_cannot_be_read_stops(packages: PackageIndex) -> None:
    """Guards fail closed, unless they are disabled by name."""
    packages.install("acme-arc", arc__guards={"pii": "acme.pii"})

    with pytest.raises(PluginError, match="brings a guard"):
        discovered()

    assert plugin_in(discovered(disabled=["pii"]), "pii").state is PluginState.DISABLED


def test_a_misspelt_group_is_reported(packages: PackageIndex) -> None:
    """A component in a group that Arc does not know would never be used; guards stop at once."""
    packages.install("acme-arc", arc__hoks={"audit": "acme:Audit"})

    plugin = plugin_in(discovered(), "audit")

    assert plugin.state is PluginState.QUARANTINED
    assert "write arc.hooks" in str(plugin.cause)
    packages.install("evil-arc", arc__gards={"pii": "acme:Pii"})
    with pytest.raises(PluginError, match="brings a guard"):
        discovered()


def test_code_that_is_not_packaged_is_loaded_by_its_path(packages: PackageIndex) -> None:
    """A line of `plugins.load` is a plugin without distribution."""
    packages.install("unrelated", modules={"my_policies": _GOOD})

    discovery = discovered(load=["my_policies"])

    assert names_in(discovery) == ["pii", "audit"]
    assert str(plugin_in(discovery, "my_policies")) == "my_policies (plugins.load)"


def test_a_path_that_cannot_be_loaded_stops(packages: PackageIndex) -> None:
    """Who names code in the settings wants it."""
    with pytest.raises(PluginError, match=r"plugins\.load names it"):
        discovered(load=["nowhere.to.be.found"])


@pytest.mark.parametrize(
    "body",
    [
        "registry.contribute(Guard, 'acme:Pii')\n    raise OSError('licence')",
        "registry.contribute(Guard, object)",
    ],
    ids=["contributes a guard and fails", "contributes something that is not a guard"],
)
def test_a_plugin_that_contributes_a_guard_and_fails_stops(
    packages: PackageIndex, body: str
) -> None:
    """What a plugin is, is decided by what it registered: guards fail closed."""
    source = (
        f"from arc_core import Guard, hookimpl\n@hookimpl\ndef arc_register(registry):\n    {body}"
    )
    packages.install("acme-arc", modules={"acme": source}, arc={"acme": "acme"})

    with pytest.raises(PluginError, match="brings a guard"):
        discovered()

    assert plugin_in(discovered(disabled=["acme"]), "acme").state is PluginState.DISABLED


def test_a_marked_guard_counts_before_it_is_registered(packages: PackageIndex) -> None:
    """A guard marked by `@provides` stops start-up when another part of its plugin fails."""
    source = """
    from arc_autoconfig import provides
    from arc_core import Guard, hookimpl

    @provides(Guard)
    class Pii(Guard):
        async def check(self, request): ...

    @hookimpl
    def arc_register(registry):
        raise OSError("licence")
    """
    packages.install("acme-arc", modules={"acme": source}, arc={"acme": "acme"})

    with pytest.raises(PluginError, match="brings a guard"):
        discovered()


@pytest.mark.parametrize(
    "failure",
    ["SystemExit(3)", "GeneratorExit", "BaseException('panic')", "asyncio.CancelledError"],
)
def test_whatever_a_plugin_raises_at_import_is_contained(
    packages: PackageIndex, failure: str
) -> None:
    """No plugin ends the process, whatever class its exception has."""
    source = f"import asyncio\nraise {failure}"
    packages.install("acme-arc", modules={"acme": source}, arc={"acme": "acme"})

    plugin = plugin_in(discovered(), "acme")

    assert plugin.state is PluginState.QUARANTINED


def test_ctrl_c_is_not_contained(packages: PackageIndex) -> None:
    """A person may stop a start-up that takes too long."""
    packages.install("acme-arc", modules={"acme": "raise KeyboardInterrupt"}, arc={"acme": "acme"})

    with pytest.raises(KeyboardInterrupt):
        discovered()


def test_an_exception_that_cannot_be_shown_is_contained(packages: PackageIndex) -> None:
    """An exception whose text cannot be had is told by its class."""
    source = """
    class Silent(Exception):
        def __str__(self):
            raise SystemExit(3)

    raise Silent
    """
    packages.install("acme-arc", modules={"acme": source}, arc={"acme": "acme"})

    assert str(plugin_in(discovered(), "acme").cause).startswith("Silent")


def test_a_registry_cannot_be_used_after_arc_register(packages: PackageIndex) -> None:
    """What is registered later would be ignored silently, so it is refused."""
    source = """
    from arc_core import Hook, hookimpl
    kept = []

    @hookimpl
    def arc_register(registry):
        kept.append(registry)
    """
    packages.install("acme-arc", modules={"acme_late": source}, arc={"acme": "acme_late"})
    discovered()
    (registry,) = sys.modules["acme_late"].kept

    with pytest.raises(WiringFrozenError, match=r"acme-arc 1\.0") as raised:
        registry.contribute(Hook, "acme:Audit")

    assert "arc_register" in raised.value.remedy
