"""Which entry points are Arc's, read from the metadata of installed packages."""

from pathlib import Path

import pytest

from arc_autoconfig.installed import installed_entry_points
from tests.arc_autoconfig.installed import PackageIndex


def _names(distribution: str) -> list[tuple[str, str]]:
    found = (each for each in installed_entry_points() if each.distribution == distribution)
    return [(each.group, each.name) for each in found]


def test_plugins_and_single_components_are_found(packages: PackageIndex) -> None:
    """All of Arc's groups are read, misspelt ones too, and no others."""
    packages.install(
        "acme-arc",
        arc={"acme": "acme"},
        arc__guards={"pii": "acme:Pii"},
        arc__gards={"typo": "acme:Typo"},
        arc__commands={"audit": "acme:audit"},
        archive={"zip": "acme:zip"},
    )

    assert _names("acme-arc") == [("arc", "acme"), ("arc.guards", "pii"), ("arc.gards", "typo")]


def test_the_order_is_that_of_names_not_of_installation(packages: PackageIndex) -> None:
    """Whatever was installed first, the result is sorted by name."""
    packages.install("b-arc", arc={"zeta": "z", "alpha": "a"})
    packages.install("a-arc", arc={"mid": "m"})

    third_party = [each for each in installed_entry_points() if not each.is_arcs_own]

    assert [each.name for each in third_party] == ["alpha", "mid", "zeta"]


def test_distribution_and_version_come_along(packages: PackageIndex) -> None:
    """The distribution's name is normalised, so that it is one however it is spelt."""
    packages.install("Acme.Arc_Plugin", version="2.5", arc={"acme": "acme"})

    (found,) = (each for each in installed_entry_points() if each.name == "acme")

    assert (found.distribution, found.version, found.value) == ("acme-arc-plugin", "2.5", "acme")


def test_a_package_that_is_there_twice_counts_once(
    packages: PackageIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for imports, the first on the path counts, however its name is spelt."""
    packages.install("Acme_Arc", version="1.0", arc={"acme": "acme"})
    first_on_path = PackageIndex(tmp_path, monkeypatch)
    first_on_path.install("acme-arc", version="2.0", arc={"acme": "acme"})

    versions = [each.version for each in installed_entry_points() if each.name == "acme"]

    assert versions == ["2.0"]


def test_arcs_own_components_come_in_the_same_way() -> None:
    """There is no back door: the engine itself is an entry point of Arc's distribution."""
    own = {(each.group, each.name) for each in installed_entry_points() if each.is_arcs_own}

    assert ("arc.agent_executors", "react") in own
    assert ("arc", "offline") in own
