"""Sections of the settings for components: Arc's, and those of plugins."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, create_model, field_validator

from arc_autoconfig.container.plans import Sections
from arc_autoconfig.declare.candidates import Origin, Source
from arc_autoconfig.errors import InjectionError, SettingsError
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
    """The caller who registers an object can hand it its settings."""
    with pytest.raises(InjectionError, match="PiiSettings, which is not a section"):
        Sections(ArcSettings()).section(PiiSettings, candidate=offer(Guard, "pii", origin=CODE))


@dataclass(frozen=True)
class Budget:
    """A part of a plugin's own section."""

    tokens: int = 100


@dataclass(frozen=True)
class DataSettings:
    """A plugin's own section as a dataclass."""

    max_hits: int = 3
    words: tuple[str, ...] = ()
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        if self.max_hits == 13:
            msg = "13 brings bad luck"
            raise ValueError(msg)


class PlainSettings(BaseModel):
    """A plugin's own section as a pydantic model that says nothing of unknown keys."""

    max_hits: int = 3


def test_a_dataclass_can_be_a_section() -> None:
    """Its values are validated and converted, nested ones, too."""
    table: dict[str, object] = {"max-hits": "7", "words": ["a"], "budget": {"tokens": 5}}

    own = Sections(_with(table)).section(DataSettings, candidate=PII)

    assert own == DataSettings(max_hits=7, words=("a",), budget=Budget(tokens=5))
    assert Sections(ArcSettings()).section(DataSettings, candidate=PII) == DataSettings()


@pytest.mark.parametrize("text", ["a,b", '["a", "b"]'])
def test_a_list_may_be_given_as_text(text: str) -> None:
    """Variables and options give nothing else."""
    own = Sections(_with({"words": text})).section(DataSettings, candidate=PII)

    assert own == DataSettings(words=("a", "b"))


@pytest.mark.parametrize("kind", [Iterable[str], Sequence[str], set[str]])
def test_a_list_of_any_kind_may_be_given_as_text(kind: Any) -> None:
    """None is read letter by letter."""
    wanted = create_model("WordSettings", words=(kind, ...))

    own: Any = Sections(_with({"words": "alpha"})).section(wanted, candidate=PII)

    assert list(own.words) == ["alpha"]


@pytest.mark.parametrize("wanted", [DataSettings, PlainSettings])
def test_unknown_keys_are_refused_in_any_section(wanted: type) -> None:
    """A misspelt key would otherwise be without effect."""
    with pytest.raises(SettingsError) as raised:
        Sections(_with({"max_hit": 7})).section(wanted, candidate=PII)

    assert raised.value.remedy == "write max_hits"


def test_a_dataclasss_own_checks_count() -> None:
    """What its constructor raises is a wrong setting."""
    with pytest.raises(SettingsError, match=r"plugins\.settings\.acme-pii is wrong"):
        Sections(_with({"max_hits": 13})).section(DataSettings, candidate=PII)


def test_a_default_stays_where_nothing_is_set() -> None:
    """A parameter's default is made by the plugin, which knows better than Arc."""
    sections = Sections(ArcSettings())

    assert sections.section(DataSettings, candidate=PII, has_default=True) is None
    code = offer(Guard, "pii", origin=CODE)
    assert sections.section(DataSettings, candidate=code, has_default=True) is None


def _with(table: dict[str, object]) -> ArcSettings:
    return ArcSettings(plugins={"settings": {"acme-pii": table}})


class Exiting(BaseModel):
    """Its own check ends the process."""

    size: int = 1

    @field_validator("size")
    @classmethod
    def _check(cls, size: int) -> int:
        raise SystemExit(size)


def test_whatever_a_sections_check_raises_is_a_wrong_setting() -> None:
    """A plugin's validator ends no application."""
    with pytest.raises(SettingsError, match=r"plugins\.settings\.acme-pii is wrong") as raised:
        Sections(_with({"size": 3})).section(Exiting, candidate=PII)

    assert raised.value.evidence[0].startswith("SystemExit: 3")
