"""Sections of the settings that packages bring."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.declare.plugins import PluginState
from arc_autoconfig.errors import PluginError, SettingsError
from arc_autoconfig.settings.inventory import MASK, UNCHECKED, list_settings
from arc_plugins.caches.redis_cache import RedisCacheSettings
from tests.arc_autoconfig.installed import PackageIndex

_SECTION = """
    from pydantic import SecretStr
    from arc_core.settings import Section

    class AcmeSettings(Section):
        max_hits: int = 3
        token: SecretStr | None = None
        words: tuple[str, ...] = ()
"""

_HOOK = """
    from acme_settings import AcmeSettings
    from arc_core import Hook

    class Audit(Hook):
        def __init__(self, settings: AcmeSettings) -> None:
            self.settings = settings
"""


def _install(
    packages: PackageIndex, section: str = _SECTION, hooks: dict[str, str] | None = None
) -> None:
    packages.install(
        "acme-arc",
        modules={"acme_settings": section, "acme_hook": _HOOK},
        arc__settings={"acme": "acme_settings:AcmeSettings"},
        arc__hooks=hooks or {},
    )


def test_a_packages_section_is_set_like_arcs_own(
    packages: PackageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File with hyphens, variable, command line, keyword; each with its origin."""
    _install(packages)
    Path("arc.toml").write_text("[acme]\nmax-hits = 5\n", "utf-8")
    monkeypatch.setenv("ARC_ACME__WORDS", "a,b")

    settings = ArcSettings(_command_line={"acme.token": "hunter2"})

    assert (settings.acme.max_hits, settings.acme.words) == (5, ("a", "b"))
    assert settings.origin_of("acme.max_hits") == "arc.toml, line 2"
    shown = {each.key: each.value for each in list_settings(settings, {})}
    assert shown["acme.token"] == MASK
    assert ArcSettings(acme={"max_hits": 6}).acme.max_hits == 6


@pytest.mark.parametrize(
    ("values", "remedy"),
    [({"max_hit": 1}, "write acme.max_hits"), ({"max_hits": "many"}, "correct the value")],
)
def test_its_values_are_checked_like_arcs_own(
    packages: PackageIndex, *, values: dict[str, Any], remedy: str
) -> None:
    """An unknown key has the nearest name."""
    _install(packages)

    with pytest.raises(SettingsError, match=r"acme\.max_hit") as raised:
        ArcSettings(acme=values)

    assert raised.value.remedy == remedy


def test_components_get_it_by_its_class(packages: PackageIndex) -> None:
    """And so does everyone who asks the settings."""
    _install(packages, hooks={"audit": "acme_hook:Audit"})
    app = Application(ArcSettings(acme={"max_hits": 9}))

    app.build()

    hook: Any = app.container.hooks()[0]
    assert hook.settings.max_hits == 9
    assert app.settings.section(type(hook.settings)) is app.settings.acme


def test_a_dataclass_may_be_a_section(packages: PackageIndex) -> None:
    """A component that asks for it gets the dataclass."""
    section = """
        from dataclasses import dataclass

        @dataclass(frozen=True)
        class AcmeSettings:
            max_hits: int = 3
    """
    _install(packages, section, hooks={"audit": "acme_hook:Audit"})
    app = Application(ArcSettings(acme={"max_hits": "9"}))

    app.build()

    hook: Any = app.container.hooks()[0]
    assert hook.settings == type(hook.settings)(max_hits=9)


def test_a_package_may_add_settings_to_a_section_of_arcs(packages: PackageIndex) -> None:
    """As Arc's own Redis cache does; each class sees its own part, and the engine the whole."""
    section = """
        from arc_core.settings import CacheSettings

        class DiskCacheSettings(CacheSettings):
            folder: str = "cache"
    """
    packages.install(
        "acme-arc",
        modules={"acme_disk": section},
        arc__settings={"cache.disk": "acme_disk:DiskCacheSettings"},
    )

    settings = ArcSettings(cache={"folder": "x", "redis_url": "redis://h", "enabled": True})

    assert (settings.cache.folder, settings.cache.enabled) == ("x", True)
    redis = settings.section(RedisCacheSettings)
    assert redis.redis_url == SecretStr("redis://h")
    assert redis is settings.cache


def test_a_part_may_be_given_as_what_it_is() -> None:
    """It counts whole, and leaves the other parts to the other sources."""
    part = RedisCacheSettings(redis_url=SecretStr("redis://h"))

    settings = ArcSettings(
        _command_line={"cache.max_size": "7", "cache.scope": "tenant"}, cache=part
    )

    assert settings.cache.redis_url == SecretStr("redis://h")
    assert (settings.cache.max_size, settings.cache.scope) == (7, "user")


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        ({"acme": "one:A"}, {"acme": "two:B"}, "the section acme"),
        ({"cache.a": "one:A"}, {"cache.b": "two:B"}, r"the setting cache\.size"),
        ({}, {"cache": "two:B"}, "the section cache"),
    ],
)
def test_two_packages_cannot_bring_one_thing(
    packages: PackageIndex, *, first: dict[str, str], second: dict[str, str], what: str
) -> None:
    """The error names both."""
    section = "from arc_core.settings import Section\nclass {}(Section):\n    size: int = 1\n"
    packages.install("one-arc", modules={"one": section.format("A")}, arc__settings=first)
    packages.install("two-arc", modules={"two": section.format("B")}, arc__settings=second)

    with pytest.raises(PluginError, match=f"two packages bring {what}") as raised:
        ArcSettings()

    evidence = " ".join(raised.value.evidence)
    assert "two-arc 1.0 (two:B)" in evidence
    assert ("one-arc 1.0 (one:A)" if first else "arc-agents itself") in evidence


BROKEN = {
    "import": "import nowhere_to_be_found",
    "no class": "AcmeSettings = 3",
    "no default": """
        from arc_core.settings import Section

        class AcmeSettings(Section):
            url: str
    """,
    "no type": """
        from arc_core.settings import Section

        class AcmeSettings(Section):
            url: "Nowhere" = None
    """,
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_section_is_quarantined_with_its_plugin(packages: PackageIndex, kind: str) -> None:
    """Its keys are not unknown, and the others work."""
    hook = "from arc_core import Hook\nclass Audit(Hook): ...\n"
    packages.install(
        "acme-arc",
        modules={"acme_settings": BROKEN[kind], "acme_hook": hook},
        arc__settings={"acme": "acme_settings:AcmeSettings"},
        arc__hooks={"audit": "acme_hook:Audit"},
    )
    Path("arc.toml").write_text('[acme]\nurl = "hunter2"\n', "utf-8")

    app = Application()

    (plugin,) = (each for each in app.report.plugins if each.distribution == "acme-arc")
    assert plugin.state is PluginState.QUARANTINED
    assert "section acme of the settings" in (plugin.cause or "")
    shown = {each.key: each.value for each in list_settings(app.settings, {})}
    assert shown["acme.url"] == UNCHECKED


def test_a_broken_section_stops_what_requires_its_plugin(packages: PackageIndex) -> None:
    """The error says that the plugin is broken."""
    _install(packages, "import nowhere_to_be_found", hooks={"audit": "acme_hook:Audit"})

    with pytest.raises(PluginError, match=r"audit .* is broken, and plugins.required names it"):
        Application(ArcSettings(plugins={"required": ["audit"]}, acme={"url": "x"}))


def test_a_broken_section_that_stands_alone_is_reported(packages: PackageIndex) -> None:
    """Although its package has no plugin that could be quarantined."""
    _install(packages, "import nowhere_to_be_found")

    (plugin,) = (p for p in Application().report.plugins if p.distribution == "acme-arc")

    assert plugin.state is PluginState.QUARANTINED
    assert "nowhere_to_be_found" in (plugin.cause or "")


@pytest.mark.parametrize(
    "plugins", [{"disabled": ["audit"]}, {"autoload": False}], ids=["disabled", "autoload"]
)
def test_a_section_of_an_unwanted_plugin_is_not_imported(
    packages: PackageIndex, plugins: dict[str, Any]
) -> None:
    """Its keys stay where they are, without effect."""
    _install(packages, "raise SystemExit", hooks={"audit": "acme_hook:Audit"})
    Path("arc.toml").write_text("[acme]\nmax-hits = 5\n", "utf-8")

    settings = ArcSettings(plugins=plugins)

    (section,) = (each for each in settings.brought if each.head == "acme")
    assert (section.model, section.cause) == (None, None)


def test_a_part_that_is_not_loaded_leaves_its_section(packages: PackageIndex) -> None:
    """Its keys are let through, and nothing reads them."""
    packages.install("acme-arc", arc__settings={"cache.disk": "nowhere_to_be_found:Disk"})

    settings = ArcSettings(cache={"folder": "hunter2", "enabled": True})

    assert settings.cache.enabled
    shown = {each.key: each.value for each in list_settings(settings, {})}
    assert shown["cache.folder"] == UNCHECKED
    assert shown["cache.enabled"] is True


@pytest.mark.parametrize(
    "name", ["Acme", "acme-x", "plugins.x", "max_tool_calls.x", "a.b.c", "section"]
)
def test_names_that_cannot_be_sections_break_them(packages: PackageIndex, name: str) -> None:
    """A variable could not name them, or they stand for something else."""
    packages.install(
        "acme-arc",
        modules={"acme_settings": _SECTION},
        arc__settings={name: "acme_settings:AcmeSettings"},
    )

    (section,) = (s for s in ArcSettings().brought if s.line.distribution == "acme-arc")

    assert section.cause is not None


def test_a_class_that_is_not_a_section_is_refused() -> None:
    """With the way to make it one."""
    with pytest.raises(SettingsError, match="PackageIndex is not a section") as raised:
        ArcSettings().section(PackageIndex)

    assert "arc.settings" in raised.value.remedy
