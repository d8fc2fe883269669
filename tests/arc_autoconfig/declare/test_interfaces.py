"""Interfaces that packages declare: what is wrong with them, and what becomes of their plugins."""

import logging
import sys
from textwrap import dedent
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings, provides
from arc_autoconfig.container.container import ArcContainer
from arc_autoconfig.declare.discovery import discover
from arc_autoconfig.declare.interfaces import RESERVED_NAMES, declared_in
from arc_autoconfig.declare.plugins import Discovery, PluginState
from arc_autoconfig.errors import PluginError, UnknownNameError
from arc_autoconfig.settings import PluginsSettings
from arc_core import ChatModel, ConfigurationError, slot
from arc_core.components.extension_points import get_place
from tests.arc_autoconfig.installed import PackageIndex, discovered, names_in, plugin_in

SPEECH = """
    from arc_core import ChatModel, slot

    @slot("{name}", group="{group}")
    class Speech:
        def speak(self, text): ...
"""

ROBOT = """
    from acme_speech import Speech

    class Robot(Speech):
        def speak(self, text):
            return text
"""


OFFERING = """
from arc_core import hookimpl

@hookimpl
def arc_register(registry):
    registry.provide(Speech, Speech(), name="zeta")
"""


def speech(name: str = "speech", group: str = "acme.speech") -> str:
    """The source of a module that declares a slot."""
    return dedent(SPEECH).format(name=name, group=group)


def places(discovery: Discovery) -> list[str]:
    """The names of what others than Arc declare."""
    own = {place.name for place in discover(PluginsSettings(), third_party=False).places}
    return [place.name for place in discovery.places if place.name not in own]


@pytest.fixture
def acme(packages: PackageIndex) -> PackageIndex:
    """A package that declares a slot, and another that fills it."""
    interfaces = {"speech": "acme_speech:Speech"}
    packages.install("acme", modules={"acme_speech": speech()}, arc__interfaces=interfaces)
    packages.install("robot", modules={"robot": ROBOT}, acme__speech={"robot": "robot:Robot"})
    return packages


def install_second(packages: PackageIndex, source: str, **groups: dict[str, str]) -> None:
    """A package whose interface comes after that of `acme`."""
    interfaces = {"talk": "talk:Speech"}
    packages.install(
        "zeta", version="3.1", modules={"talk": source}, arc__interfaces=interfaces, **groups
    )


def test_entry_points_of_another_packages_group_are_found(acme: PackageIndex) -> None:
    """They are plugins as all others, and not imported before they are used."""
    discovery = discovered()

    robot = plugin_in(discovery, "robot")
    assert (robot.state, robot.group) == (PluginState.LOADED, "acme.speech")
    assert robot.brought == ("speech: robot",)
    assert plugin_in(discovery, "speech").brought == ("slot: speech",)
    assert "robot" not in sys.modules


@pytest.mark.parametrize("name", ["robot", "acme.speech:robot"])
def test_plugins_of_another_packages_group_are_disabled_by_name(
    acme: PackageIndex, name: str
) -> None:
    """With or without the group."""
    discovery = discovered(disabled=[name])

    assert plugin_in(discovery, "robot").state is PluginState.DISABLED
    assert names_in(discovery) == []


@pytest.mark.parametrize("name", ["robot", "acme.speech:robot"])
def test_plugins_of_another_packages_group_are_required_by_name(
    acme: PackageIndex, name: str
) -> None:
    """A required one that is not loaded stops the start."""
    assert names_in(discovered(required=[name])) == ["robot"]

    with pytest.raises(PluginError, match=f"required plugin '{name}' would not be loaded"):
        discovered(required=[name], autoload=False, enabled=["speech"])


def test_plugins_of_several_groups_that_share_a_name_are_told_with_the_group(
    acme: PackageIndex,
) -> None:
    """The error says how to write each."""
    acme.install("robots", modules={"robots": ""}, arc__hooks={"robot": "robots:Hook"})

    with pytest.raises(PluginError) as raised:
        discovered(disabled=["robot"])

    assert raised.value.remedy == "write 'acme.speech:robot' or 'hooks:robot'"
    assert plugin_names(discovered()) >= {"acme.speech:robot", "hooks:robot"}


def plugin_names(discovery: Discovery) -> set[str]:
    return {each.known_as for each in discovery.plugins}


def test_two_packages_that_declare_one_name_are_told(
    acme: PackageIndex, caplog: pytest.LogCaptureFixture
) -> None:
    """The later one is left out, and the warning names both packages and the way out."""
    install_second(acme, speech(group="zeta.speech"))

    discovery = discovered()

    assert plugin_in(discovery, "talk").state is PluginState.QUARANTINED
    assert plugin_in(discovery, "robot").state is PluginState.LOADED
    assert "two interfaces are declared with the name 'speech'" in caplog.text
    assert "acme_speech.Speech: speech, group acme.speech, of acme 1.0" in caplog.text
    assert "talk.Speech: speech, group zeta.speech, of zeta 3.1" in caplog.text
    assert "plugins.disabled" in caplog.text


def test_two_packages_that_declare_one_group_are_told(
    acme: PackageIndex, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing could say which of the two an entry point is for."""
    install_second(acme, speech(name="talk"))

    discovery = discovered()

    assert places(discovery) == ["speech"]
    assert "two interfaces are declared with the group acme.speech" in caplog.text


def test_the_first_package_may_be_disabled_instead(acme: PackageIndex) -> None:
    """Then the second one's interface is used."""
    install_second(acme, speech(name="talk"))

    discovery = discovered(disabled=["speech"])

    assert places(discovery) == ["talk"]
    assert plugin_in(discovery, "talk").state is PluginState.LOADED


def test_arcs_own_interfaces_win_whatever_the_name(packages: PackageIndex) -> None:
    """A package whose entry point sorts first cannot take a slot of Arc's."""
    source = speech(name="chat_model", group="acme.models")
    packages.install("acme", modules={"acme_m": source}, arc__interfaces={"aaa": "acme_m:Speech"})

    discovery = discovered()

    assert plugin_in(discovery, "aaa").state is PluginState.QUARANTINED
    assert get_place(ChatModel) in discovery.places


def test_one_module_cannot_declare_a_name_twice(packages: PackageIndex) -> None:
    """Neither of the two interfaces is lost silently."""
    twice = f"{speech()}\n{speech(group='acme.talk')}".replace("class Speech", "class Talk", 1)
    packages.install("acme", modules={"acme_two": twice}, arc__interfaces={"two": "acme_two"})

    discovery = discovered()

    assert "declared with the name 'speech'" in str(plugin_in(discovery, "two").cause)
    assert places(discovery) == []


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("import nowhere_to_be_found", "ModuleNotFoundError"),
        (speech(name="two words"), "it is not an identifier"),
        (speech(name="settings"), "cannot be declared with the name 'settings'"),
        (speech(name="exclude"), "cannot be declared with the name 'exclude'"),
        (speech(group="arc.settings"), "cannot be declared with the group arc.settings"),
        (speech(group="speech"), "write group='your_package.speech'"),
        (speech().replace("@slot", "@slot('x', group='a.x')\n@slot"), "declared twice"),
        ("class Speech: ...", "declares no interface"),
        ("", "AttributeError"),
    ],
)
def test_a_broken_interface_is_quarantined_with_everything_of_its_package(
    packages: PackageIndex, source: str, cause: str
) -> None:
    """Entry points in a group that is not declared do no harm."""
    packages.install(
        "acme",
        modules={"acme_broken": source, "acme_good": speech(name="song", group="acme.song")},
        arc__interfaces={"a_song": "acme_good:Speech", "speech": "acme_broken:Speech"},
        arc__hooks={"own": "acme_hook:Own"},
    )
    packages.install("robot", acme__speech={"robot": "robot:Robot"})

    discovery = discovered()

    assert cause in str(plugin_in(discovery, "speech").cause)
    assert "an interface of acme 1.0 cannot be used" in str(plugin_in(discovery, "own").cause)
    assert plugin_in(discovery, "a_song").state is PluginState.QUARANTINED
    assert (names_in(discovery), places(discovery)) == ([], [])


def test_a_guard_of_a_package_with_a_broken_interface_stops_the_start(
    packages: PackageIndex,
) -> None:
    """Guards fail closed, unless they are disabled by name."""
    packages.install(
        "acme", arc__interfaces={"speech": "nowhere:Speech"}, arc__guards={"pii": "acme:Pii"}
    )

    with pytest.raises(PluginError, match="it brings a guard") as raised:
        discovered()

    assert "an interface of acme 1.0 cannot be used" in raised.value.evidence[0]
    assert names_in(discovered(disabled=["pii"])) == []


@pytest.mark.parametrize("setting", ["disabled", "enabled", "required", "settings"])
@pytest.mark.parametrize("cause", ["plugins.disabled names it", "ModuleNotFoundError"])
def test_who_names_a_plugin_for_an_interface_that_is_left_out_is_told_of_that(
    packages: PackageIndex, setting: str, cause: str
) -> None:
    """Such a plugin's group is not read; the error names the interface's package, and why."""
    is_disabled = cause.startswith("plugins")
    source = speech() if is_disabled else "import nowhere_to_be_found"
    interfaces = {"speech": "acme_speech:Speech"}
    packages.install("acme", modules={"acme_speech": source}, arc__interfaces=interfaces)
    packages.install("robot", acme__speech={"robot": "robot:Robot"})
    settings: dict[str, Any] = {"disabled": ["speech"] if is_disabled else []}
    named = {"robot": {}} if setting == "settings" else [*settings.get(setting, ()), "robot"]

    with pytest.raises(ConfigurationError, match="'robot'") as raised:
        discovered(**settings | {setting: named})

    [told] = [each for each in raised.value.evidence if "speech (acme 1.0)" in each]
    assert cause in told
    assert "left out" in raised.value.remedy


@pytest.mark.parametrize("components", [{"speech": "robot"}, {"exclude": ["speech:robot"]}])
def test_who_names_a_slot_that_is_left_out_is_told_of_that(
    packages: PackageIndex, components: dict[str, Any]
) -> None:
    """It is not unknown, but its package broken."""
    packages.install("acme", arc__interfaces={"speech": "nowhere:Speech"})

    with pytest.raises(UnknownNameError, match="'speech'") as raised:
        Application(ArcSettings(_isolated=True, components=components))

    assert "the interfaces of speech (acme 1.0) are left out" in raised.value.evidence[1]


@pytest.mark.parametrize("settings", [{"strict": True}, {"required": ["speech"]}])
def test_a_broken_interface_stops_the_start_if_it_must_not_be_left_out(
    packages: PackageIndex, settings: dict[str, Any]
) -> None:
    """As any plugin does."""
    packages.install("acme", arc__interfaces={"speech": "nowhere:Speech"})

    with pytest.raises(PluginError, match=r"the plugin speech \(acme 1\.0\) is broken"):
        discovered(**settings)


def test_a_module_does_not_declare_what_it_imports(acme: PackageIndex) -> None:
    """`ChatModel` is imported there, and stays Arc's."""
    source = "from acme_speech import Speech\n" + speech("song", "zeta.song").replace(
        "class Speech", "class Song"
    )
    acme.install("zeta", modules={"zeta_i": source}, arc__interfaces={"zeta": "zeta_i"})

    discovery = discovered()

    assert plugin_in(discovery, "zeta").brought == ("slot: song",)
    assert plugin_in(discovery, "speech").brought == ("slot: speech",)


def test_a_plugin_that_offers_an_interface_with_a_taken_name_is_quarantined(
    acme: PackageIndex, caplog: pytest.LogCaptureFixture
) -> None:
    """Also if its package does not name the interface in `arc.interfaces`."""
    source = f"{speech(group='zeta.speech')}\n{OFFERING}"
    acme.install("zeta", modules={"zeta_p": source}, arc={"zeta": "zeta_p"})

    with caplog.at_level(logging.WARNING):
        discovery = discovered()

    assert plugin_in(discovery, "zeta").state is PluginState.QUARANTINED
    assert names_in(discovery) == ["robot"]


def test_an_applications_own_interface_cannot_take_a_name() -> None:
    """The error says where both are."""

    @slot("chat_model", group="mine.models")
    class Mine: ...

    class Own(Mine): ...

    with pytest.raises(PluginError, match="declared with the name 'chat_model'") as raised:
        Application(ArcSettings(_isolated=True), register=[provides(Mine)(Own)], plugins=False)

    assert any("Mine: chat_model" in each for each in raised.value.evidence)


def test_names_that_the_container_has_itself_are_reserved() -> None:
    """A slot of such a name could not be had, or would hide what stands there."""
    public = {name for name in dir(ArcContainer()) if not name.startswith("_")}
    own = {place.name for place in declared_in("arc_core")}

    assert public - own <= RESERVED_NAMES
