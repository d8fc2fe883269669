"""Importing what won, and deciding again without what is broken."""

import sys
from typing import Any

import pytest

from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.discovery import discover
from arc_autoconfig.declare.plugins import PluginState
from arc_autoconfig.declare.registration import read_candidates
from arc_autoconfig.errors import ComponentError, PluginError
from arc_core import ChatModel
from arc_core.components.extension_points import Slot, get_place
from tests.arc_autoconfig.installed import PackageIndex
from tests.arc_autoconfig.offers import PLACES, OpenGuard, facts

_CACHE = """
    from arc_core.testing import DictResponseCache

    class Cache(DictResponseCache): ...
"""
_NO_CACHE = "class Cache: ..."
_MISSING = "import nowhere_to_be_found"


def _wiring(*registered: object, third_party: bool = True, **settings: Any) -> Wiring:
    known = facts(**settings)
    return Wiring(
        discovery=discover(known.settings.plugins, third_party=third_party),
        registered=read_candidates(registered, PLACES),
        facts=known,
    )


def _winner(wiring: Wiring, place: str) -> Candidate:
    winner = wiring.decisions[place].winner
    assert winner is not None
    return winner


def test_only_winners_are_imported(packages: PackageIndex) -> None:
    """A plugin that won is imported, Arc's default that stepped back is not."""
    packages.install(
        "acme-arc",
        modules={"acme_cache": _CACHE},
        arc__response_caches={"acme": "acme_cache:Cache"},
    )
    default = "arc_plugins.caches.no_response_cache"
    sys.modules.pop(default, None)

    wiring = _wiring()
    assert "acme_cache" not in sys.modules
    wiring.load()

    component = wiring.get_component(_winner(wiring, "response_cache"))
    assert component is sys.modules["acme_cache"].Cache
    assert default not in sys.modules


def test_what_is_overridden_is_not_imported(packages: PackageIndex) -> None:
    """Its place is taken already."""
    packages.install(
        "acme-arc", modules={"acme": _MISSING}, arc__response_caches={"acme": "acme:Cache"}
    )
    wiring = _wiring()

    wiring.load(overridden=["response_cache"])

    assert _winner(wiring, "response_cache").name == "acme"


@pytest.mark.parametrize(
    ("source", "cause"),
    [(_MISSING, "ModuleNotFoundError"), (_NO_CACHE, "Cache is not a ResponseCache"), ("", "Cache")],
    ids=["import", "type", "attribute"],
)
def test_the_default_comes_back_for_a_broken_plugin(
    packages: PackageIndex, caplog: pytest.LogCaptureFixture, source: str, cause: str
) -> None:
    """The plugin is quarantined with a warning, and everything is decided again."""
    packages.install(
        "acme-arc", modules={"acme": source}, arc__response_caches={"acme": "acme:Cache"}
    )
    wiring = _wiring()

    wiring.load()

    assert _winner(wiring, "response_cache").name == "none"
    plugin = next(each for each in wiring.plugins if each.name == "acme")
    assert plugin.state is PluginState.QUARANTINED
    assert cause in str(plugin.cause)
    assert [cause in record.getMessage() for record in caplog.records] == [True]


def test_all_that_a_broken_plugin_brought_is_left_out(packages: PackageIndex) -> None:
    """Half a plugin is worse than none."""
    plugin = f"""{_CACHE}
    from arc_core import Hook, ResponseCache, hookimpl

    @hookimpl
    def arc_register(registry):
        registry.provide(ResponseCache, Cache, name="good")
        registry.contribute(Hook, "nowhere_to_be_found:Audit", name="bad")
    """
    packages.install("acme-arc", modules={"acme": plugin}, arc={"acme": "acme"})
    wiring = _wiring()
    assert _winner(wiring, "response_cache").name == "good"

    wiring.load()

    assert _winner(wiring, "response_cache").name == "none"
    assert wiring.decisions["hooks"].winners == ()


def test_a_guard_that_cannot_be_imported_stops(packages: PackageIndex) -> None:
    """Guards fail closed, unless they are disabled by name."""
    packages.install("acme-arc", modules={"acme": _MISSING}, arc__guards={"pii": "acme:Pii"})

    with pytest.raises(PluginError, match=r"pii \(acme-arc 1\.0\) is broken.* brings a guard"):
        _wiring().load()
    _wiring(plugins={"disabled": ["pii"]}).load()


def test_a_broken_plugin_that_brings_a_guard_stops(packages: PackageIndex) -> None:
    """Also when the guard itself is good: it would be left out with the rest."""
    plugin = """
    from arc_core import Guard, Hook, hookimpl
    from tests.arc_autoconfig.offers import OpenGuard

    @hookimpl
    def arc_register(registry):
        registry.contribute(Guard, OpenGuard)
        registry.contribute(Hook, "nowhere_to_be_found:Audit")
    """
    packages.install("acme-arc", modules={"acme": plugin}, arc={"acme": "acme"})

    with pytest.raises(PluginError, match="brings a guard"):
        _wiring().load()


def test_strict_stops_for_every_broken_plugin(packages: PackageIndex) -> None:
    """What would be left out with a warning becomes an error."""
    packages.install("acme-arc", modules={"acme": _MISSING}, arc__hooks={"audit": "acme:Audit"})

    with pytest.raises(PluginError, match=r"plugins\.strict is on"):
        _wiring(plugins={"strict": True}).load()


def test_what_arc_or_code_offers_must_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no plugin to leave out; the error says what, where and what to do."""
    monkeypatch.setitem(sys.modules, "arc_plugins.retrieval.no_retriever", None)

    with pytest.raises(ComponentError, match=r"retriever: none \(arc-agents") as raised:
        _wiring(third_party=False).load()

    assert "arc_plugins.retrieval.no_retriever" in raised.value.evidence[0]


def test_components_of_code_need_no_import() -> None:
    """Instances and classes are what they are."""
    wiring = _wiring(OpenGuard, third_party=False)
    wiring.load()

    guard = next(each for each in wiring.decisions["guards"].winners if each.name == "OpenGuard")
    assert wiring.get_component(guard) is OpenGuard


def test_what_could_fill_a_slot_is_offered_before_the_rest() -> None:
    """A parameter that names a component gets the one of this name whose condition holds."""
    known = facts(environment={"OPENAI_API_KEY": "x"}, llm={"provider": "offline"})
    discovery = discover(known.settings.plugins, third_party=False)
    wiring = Wiring(discovery=discovery, registered=(), facts=known)

    slot = get_place(ChatModel)
    assert isinstance(slot, Slot)

    offers = wiring.offers(slot)

    assert [each.name for each in offers[:2]] == ["offline", "openai"]
    assert offers[1] in wiring.usable(slot)
    assert [each.name for each in offers[2:]] == [
        "anthropic",
        "gemini",
        "openai",
        "openai_responses",
    ]


def test_a_component_that_exits_at_its_import_is_left_out(packages: PackageIndex) -> None:
    """`sys.exit()` in the module of a component quarantines its plugin."""
    source = "import sys\nsys.exit(3)"
    packages.install(
        "acme-arc", modules={"acme": source}, arc__response_caches={"acme": "acme:Cache"}
    )

    wiring = _wiring()
    wiring.load()

    (plugin,) = (each for each in wiring.plugins if each.name == "acme")
    assert plugin.state is PluginState.QUARANTINED
    assert str(plugin.cause).startswith("SystemExit: 3")
