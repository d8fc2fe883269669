"""Which plugins the settings want, and what they are told when they name none."""

import pytest

from arc_autoconfig.declare.plugins import PluginState, check_names, choose_state, known_names
from arc_autoconfig.errors import PluginError, UnknownNameError
from arc_autoconfig.installed import ARC_DISTRIBUTION, EntryPointLine
from arc_autoconfig.settings import PluginsSettings


def _entry_point(
    name: str, *, distribution: str = "acme-arc", group: str = "arc"
) -> EntryPointLine:
    return EntryPointLine(
        name=name, distribution=distribution, version="1.0", group=group, value="acme.plugin"
    )


ACME, ARC = _entry_point("acme"), _entry_point("openai", distribution=ARC_DISTRIBUTION)


@pytest.mark.parametrize(
    ("settings", "third_party", "state"),
    [
        ({}, True, PluginState.LOADED),
        ({}, False, PluginState.NOT_ENABLED),
        ({"autoload": False}, True, PluginState.NOT_ENABLED),
        ({"autoload": False, "enabled": ["acme"]}, True, PluginState.LOADED),
        ({"enabled": ["acme"]}, False, PluginState.NOT_ENABLED),
        ({"disabled": ["acme"], "enabled": ["acme"]}, True, PluginState.DISABLED),
    ],
)
def test_settings_and_application_decide_together(
    *, settings: dict[str, object], third_party: bool, state: PluginState
) -> None:
    """What is disabled is never loaded; what is not loaded by itself must be enabled."""
    plugins = PluginsSettings.model_validate(settings)

    assert choose_state(ACME, plugins, third_party=third_party) is state


def test_arcs_own_are_loaded_unless_disabled() -> None:
    """Without autoload and without plugins Arc still works."""
    off = PluginsSettings(autoload=False)

    assert choose_state(ARC, off, third_party=False) is PluginState.LOADED
    disabled = PluginsSettings(disabled=("openai",))
    assert choose_state(ARC, disabled, third_party=True) is PluginState.DISABLED


@pytest.mark.parametrize(
    "settings", [{"enabled": ["acne"]}, {"disabled": ["acne"]}, {"settings": {"acne": {"x": 1}}}]
)
def test_an_unknown_name_is_answered_with_the_nearest(settings: dict[str, object]) -> None:
    """The error names the setting, the name, and what was meant."""
    plugins = PluginsSettings.model_validate(settings)

    with pytest.raises(UnknownNameError, match="'acne', which does not exist") as raised:
        check_names(plugins, [ACME, ARC], third_party=True)

    assert raised.value.remedy == "write 'acme'"
    assert raised.value.description.startswith(f"plugins.{next(iter(settings))}")


def test_a_plugins_section_may_be_spelt_as_variables_spell_it() -> None:
    """Environment variables know no hyphens."""
    plugins = PluginsSettings(settings={"acme_pii": {}})

    check_names(plugins, [_entry_point("acme-pii")], third_party=True)


def test_a_required_plugin_must_be_installed() -> None:
    """A company's guard cannot quietly vanish."""
    with pytest.raises(PluginError, match="required plugin 'acne' is not installed") as raised:
        check_names(PluginsSettings(required=("acne",)), [ACME], third_party=True)

    assert raised.value.remedy.startswith("write 'acme', or install its package")


def test_a_required_plugin_must_be_loaded() -> None:
    """Neither switching plugins off nor autoload makes it optional."""
    for settings, third_party in (
        (PluginsSettings(required=("acme",)), False),
        (PluginsSettings(required=("acme",), autoload=False), True),
    ):
        with pytest.raises(PluginError, match="'acme' would not be loaded"):
            check_names(settings, [ACME], third_party=third_party)


def test_two_packages_with_one_name_are_named_both() -> None:
    """Settings could not tell them apart; disabled ones are not looked at."""
    installed = [ACME, _entry_point("acme", distribution="evil-arc")]

    with pytest.raises(PluginError, match="two packages bring a plugin of the name") as raised:
        check_names(PluginsSettings(), installed, third_party=True)

    assert [line.split()[0] for line in raised.value.evidence] == ["acme-arc", "evil-arc"]
    check_names(PluginsSettings(disabled=("acme",)), installed, third_party=True)


def test_a_name_of_several_groups_must_say_which() -> None:
    """Two of Arc's own are called `none`; the error lists the names that tell them apart."""
    installed = [_entry_point("none", group=f"arc.{group}") for group in ("retrievers", "hooks")]

    assert list(known_names(installed).values()) == ["retrievers:none", "hooks:none"]
    for setting in ("disabled", "enabled", "required"):
        settings = PluginsSettings.model_validate({setting: ["none"]})
        with pytest.raises(PluginError, match=f"plugins.{setting} names 'none'") as raised:
            check_names(settings, installed, third_party=True)
        assert raised.value.remedy == "write 'hooks:none' or 'retrievers:none'"


def test_a_name_with_its_group_means_one_plugin() -> None:
    """Its namesake goes on; also if the bare name would do."""
    retriever, hook = (
        _entry_point("none", group=f"arc.{each}") for each in ("retrievers", "hooks")
    )
    settings = PluginsSettings(disabled=("hooks:none", "arc:acme"))

    check_names(settings, [retriever, hook, ACME], third_party=True)

    states = [choose_state(each, settings, third_party=True) for each in (retriever, hook, ACME)]
    assert states == [PluginState.LOADED, PluginState.DISABLED, PluginState.DISABLED]


def test_required_and_disabled_contradict_each_other_under_any_name() -> None:
    """The settings see equal names only; here it shows which plugin both mean."""
    settings = PluginsSettings(required=("acme",), disabled=("arc:acme",))

    with pytest.raises(PluginError, match="would not be loaded") as raised:
        check_names(settings, [ACME], third_party=True)

    assert raised.value.evidence == ("plugins.disabled names it",)
