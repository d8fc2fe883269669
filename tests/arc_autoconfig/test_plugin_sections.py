"""Sections of the settings for components: Arc's, and those of plugins."""

import pytest

from arc_autoconfig.candidates import Origin, Source
from arc_autoconfig.errors import InjectionError, SettingsError
from arc_autoconfig.plugin_sections import Sections
from arc_autoconfig.settings import ArcSettings, LoggingSettings
from arc_core import Guard
from arc_core.settings import AgentSettings, LlmSettings, Section
from tests.arc_autoconfig.offers import CODE, offer

PII = offer(
    Guard,
    "pii",
    origin=Origin(source=Source.PLUGIN, plugin="acme-pii", distribution="a", version="1"),
)


class PiiSettings(Section):
    """A plugin's own section."""

    max_hits: int = 3


def test_arcs_own_sections_are_handed_out() -> None:
    """Also those of the wiring, and all settings at once."""
    settings = ArcSettings(llm={"model": "m"})
    sections = Sections(settings)

    assert sections.section(LlmSettings, candidate=PII) is settings.llm
    assert sections.section(LoggingSettings, candidate=PII) is settings.logging
    assert sections.section(AgentSettings, candidate=PII) is settings


@pytest.mark.parametrize("name", ["acme-pii", "acme_pii"])
@pytest.mark.parametrize("key", ["max-hits", "max_hits"])
def test_a_plugins_own_section_is_below_its_name(name: str, key: str) -> None:
    """Names may be spelt with hyphens, as in the package, or without, as in variables."""
    sections = Sections(ArcSettings(plugins={"settings": {name: {key: 7}}}))

    assert sections.unread == {name}
    assert sections.section(PiiSettings, candidate=PII) == PiiSettings(max_hits=7)
    assert sections.unread == set()


def test_a_plugins_own_section_has_its_defaults() -> None:
    """Nothing needs to be set."""
    assert Sections(ArcSettings()).section(PiiSettings, candidate=PII) == PiiSettings()


def test_a_plugins_own_section_is_validated() -> None:
    """Unknown keys are answered with the nearest, wrong values with their place."""
    settings = ArcSettings(plugins={"settings": {"acme-pii": {"max_hit": 7}}})

    with pytest.raises(SettingsError) as raised:
        Sections(settings).section(PiiSettings, candidate=PII)

    assert "plugins.settings.acme-pii.max_hit, keyword argument" in raised.value.evidence[0]
    assert raised.value.remedy == "write max_hits"


def test_code_has_no_section_of_its_own() -> None:
    """Whoever registers an object can hand it its settings."""
    with pytest.raises(InjectionError, match="PiiSettings, which is no section"):
        Sections(ArcSettings()).section(PiiSettings, candidate=offer(Guard, "pii", origin=CODE))
