"""What is wired if packages are installed in another order, or components need each other."""

import re
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings, provides
from arc_autoconfig.errors import DependencyCycleError
from arc_core import decorates, service
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.installed import PackageIndex

_HOOKS = """
    from arc_core import Hook

    class Early(Hook):
        order = 5

    class Late(Hook): ...
"""
_PACKAGES = {
    "zebra": {"arc__hooks": {"zebra": "zebra:Late", "early": "zebra:Early"}},
    "acme": {"arc__hooks": {"acme": "acme:Late"}, "arc__retrievers": {"own": "acme:Nobody"}},
    "monkey": {"arc__hooks": {"monkey": "monkey:Late"}},
}


@pytest.mark.slow
@pytest.mark.parametrize("order", list(permutations(_PACKAGES)), ids="-".join)
def test_the_order_of_installation_plays_no_part(
    order: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks work by their order, then by name; the report is the same to the letter."""
    for number, name in enumerate(order):
        folder = tmp_path / f"site-{number}"
        folder.mkdir()
        groups: dict[str, Any] = _PACKAGES[name]
        PackageIndex(folder, monkeypatch).install(name, modules={name: _HOOKS}, **groups)

    app = Application()
    app.load()
    app.build()

    hooks = [each["name"] for each in app.report.to_dict()["decisions"]["hooks"]["winners"]]
    assert hooks == ["early", "acme", "monkey", "zebra"]
    plugins = [each for each in app.report.plugins if each.distribution in _PACKAGES]
    assert [each.known_as for each in plugins] == ["acme", "early", "monkey", "own", "zebra"]
    assert [each.known_as for each in plugins if each.state == "quarantined"] == ["own"]


def application(*register: object) -> Application:
    """An application with what is registered, and no plugins but Arc's own."""
    known = ArcSettings(_isolated=True)
    return Application(known, register=[ScriptedChatModel([]), *register], plugins=False)


class Store:
    """Keeps values."""


class Cache:
    """Needs the store."""

    def __init__(self, store: Store) -> None:
        self.store = store


@decorates(Store)
class Traced(Store):
    """Wraps the store, and needs a cache, which needs the store."""

    def __init__(self, inner: Store, cache: Cache) -> None:
        self.inner, self.cache = inner, cache


@pytest.mark.parametrize("scope", ["application", "run"])
async def test_a_cycle_through_a_wrapper_names_the_wrapper(scope: Any) -> None:
    """The path says who needs what, and where the wrapper is written."""
    store, cache = provides(Store, scope=scope)(Store), provides(Cache, scope=scope)(Cache)

    with pytest.raises(DependencyCycleError) as raised:
        async with application(store, cache, Traced):
            pass

    path, *members = raised.value.evidence
    assert re.search(r"Store \(wrapped by Traced\) needs \S*Cache", path)
    assert re.search(r"Cache needs \S*Store", path)
    assert any("Traced (registered in code)" in each and __file__ in each for each in members)


async def test_a_cycle_around_a_wrapper_does_not_blame_it() -> None:
    """The wrapper of one member needs none of the others."""

    class Hen:
        def __init__(self, store: Store) -> None:
            self.store = store

    class Egg(Store):
        def __init__(self, hen: Hen) -> None:
            self.hen = hen

    @decorates(Store)
    class Plain(Store):
        def __init__(self, inner: Store) -> None:
            self.inner = inner

    with pytest.raises(DependencyCycleError) as raised:
        async with application(provides(Store)(Egg), service(Hen), Plain):
            pass

    assert "Plain" not in str(raised.value)
