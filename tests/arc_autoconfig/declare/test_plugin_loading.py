"""Importing a plugin and letting it register, whatever form it has."""

import sys

import pytest

from arc_autoconfig.declare.plugin_loading import register_component, register_plugin
from arc_autoconfig.declare.registry import CandidateRegistry
from arc_autoconfig.errors import ComponentError, PluginError
from arc_core import Guard, Retriever
from arc_core.components.extension_points import get_place
from tests.arc_autoconfig.installed import PackageIndex
from tests.arc_autoconfig.offers import ACME, PLACES

_HEAD = """
    from arc_autoconfig import provides
    from arc_core import Guard, Registry, Retriever, hookimpl
    from tests.arc_autoconfig.offers import EmptyRetriever, OpenGuard
"""


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            """
    @hookimpl
    def arc_register(registry: Registry) -> None:
        registry.contribute(Guard, OpenGuard, name="found")
    """,
            "acme",
        ),
        (
            """
    class Plugin:
        @hookimpl
        def arc_register(self, registry: Registry) -> None:
            registry.contribute(Guard, OpenGuard, name="found")
    """,
            "acme:Plugin",
        ),
        (
            """
    @provides(Guard, name="found")
    class Mine(OpenGuard): ...
    """,
            "acme",
        ),
        ("class found(OpenGuard): ...", "acme:found"),
    ],
    ids=["module", "class", "marked class", "component"],
)
def test_every_form_of_plugin_registers(packages: PackageIndex, body: str, text: str) -> None:
    """A module, a class with hooks, a decorated class, and a component by itself."""
    packages.install("acme-arc", modules={"acme": f"{_HEAD}\n    {body.strip()}\n"})
    registry = CandidateRegistry(ACME)

    register_plugin(text, registry, PLACES)

    assert [each.name for each in registry.candidates] == ["found"]


def test_only_the_modules_own_marked_classes_count(packages: PackageIndex) -> None:
    """What a module imports from another plugin is not its own."""
    marked = "@provides(Guard)\n    class Mine(OpenGuard): ...\n"
    packages.install("acme-arc", modules={"acme": f"{_HEAD}\n    {marked}"})
    packages.install("thief-arc", modules={"thief": "from acme import Mine\n"})

    with pytest.raises(PluginError, match="thief registers nothing"):
        register_plugin("thief", CandidateRegistry(ACME), PLACES)


def test_a_plugin_without_hooks_is_told_about_the_marker(packages: PackageIndex) -> None:
    """The usual mistake is a forgotten decorator."""
    packages.install("acme-arc", modules={"acme": "def arc_register(registry): ...\n"})

    with pytest.raises(PluginError, match="registers nothing") as raised:
        register_plugin("acme", CandidateRegistry(ACME), PLACES)

    assert "@hookimpl" in raised.value.remedy


def test_a_misspelt_hook_is_reported(packages: PackageIndex) -> None:
    """A hookimpl that no hookspec knows would never be called."""
    misspelt = "@hookimpl\n    def arc_regster(registry): ...\n"
    packages.install("acme-arc", modules={"acme": f"{_HEAD}\n    {misspelt}"})

    with pytest.raises(PluginError, match=r"no hook arc_regster \(.*acme\.py:6\)") as raised:
        register_plugin("acme", CandidateRegistry(ACME), PLACES)

    assert raised.value.remedy == "write arc_register"


def test_a_single_component_is_noted_and_not_imported() -> None:
    """Its module need not even exist yet."""
    registry = CandidateRegistry(ACME)
    for interface in (Guard, Retriever):
        place = get_place(interface)
        assert place is not None
        register_component("nowhere.module:Thing", place, name="thing", registry=registry)

    assert [each.place.name for each in registry.candidates] == ["guards", "retriever"]
    assert "nowhere" not in sys.modules


def test_a_single_component_without_attribute_is_refused() -> None:
    """A module is not a component."""
    place = get_place(Guard)
    assert place is not None

    with pytest.raises(ComponentError, match="offered as Guard"):
        register_component("module", place, name="x", registry=CandidateRegistry(ACME))


@pytest.mark.parametrize(
    ("definition", "kind"),
    [
        ("async def arc_register(registry): ...", "an asynchronous function"),
        ("def arc_register(registry): yield", "a generator function"),
        ("async def arc_register(registry): yield", "an asynchronous generator function"),
    ],
)
def test_a_hook_that_calling_does_not_run_is_refused(
    packages: PackageIndex, definition: str, kind: str
) -> None:
    """Such a plugin would count as loaded and bring nothing."""
    packages.install("acme-arc", modules={"acme": f"{_HEAD}\n    @hookimpl\n    {definition}\n"})

    with pytest.raises(PluginError, match=f"arc_register is {kind}") as raised:
        register_plugin("acme", CandidateRegistry(ACME), PLACES)

    assert raised.value.remedy == "write it as a plain `def` that calls the registry directly"


def test_a_hook_that_returns_a_coroutine_is_refused(packages: PackageIndex) -> None:
    """The same mistake, hidden behind a plain function."""
    body = (
        "async def later(registry): ...\n"
        "    @hookimpl\n    def arc_register(registry): return later(registry)\n"
    )
    packages.install("acme-arc", modules={"acme": f"{_HEAD}\n    {body}"})

    with pytest.raises(PluginError, match="arc_register returned a coroutine"):
        register_plugin("acme", CandidateRegistry(ACME), PLACES)


def test_a_wrapper_of_a_hook_may_be_a_generator(packages: PackageIndex) -> None:
    """A wrapper is run to its end by pluggy, whatever name its function has."""
    body = (
        "@hookimpl(wrapper=True, specname='arc_register')\n    def register(registry):\n"
        "        registry.contribute(Guard, OpenGuard, name='found')\n"
        "        return (yield)\n"
    )
    packages.install("acme-arc", modules={"acme": f"{_HEAD}\n    {body}"})
    registry = CandidateRegistry(ACME)

    register_plugin("acme", registry, PLACES)

    assert [each.name for each in registry.candidates] == ["found"]
