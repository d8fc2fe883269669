"""What is wired does not depend on the order of installation."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from arc_autoconfig import Application
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
