"""Which entry points are Arc's, read from the metadata of installed packages."""

import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arc_autoconfig import Application
from arc_autoconfig.installed import (
    fits_requirement,
    get_required_package,
    installed_entry_points,
    parse_requirement,
)
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


def test_the_path_is_not_read_for_every_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions ask about settings and packages some 150 times, and packages are few."""
    Application(plugins=False)  # imports what it wires
    looked_at, stat = Counter[str](), os.stat

    def count(path: Any, **options: Any) -> os.stat_result:
        looked_at[str(path)] += 1
        return stat(path, **options)

    monkeypatch.setattr(os, "stat", count)
    Application(plugins=False)

    assert 0 < max(looked_at[folder] for folder in sys.path) < 50


@pytest.mark.parametrize(
    "text", ["redis", "redis>=5", "opentelemetry-exporter-prometheus>=0.66b2", "a2a-sdk[http] >= 1"]
)
def test_the_package_of_a_requirement_is_the_one_that_packaging_reads(text: str) -> None:
    """The plain ones, which are not parsed, among them."""
    assert get_required_package(text) == parse_requirement(text).name


_VERSIONS = st.builds(
    "{}{}".format,
    st.lists(st.sampled_from(["0", "1", "2", "10", "010"]), min_size=1, max_size=4).map(".".join),
    st.sampled_from(["", "", "a1", "b2", "b10", "rc1", ".post1", ".dev3"]),
)


@given(least=_VERSIONS, found=_VERSIONS)
@example(least="1.0", found="1.0+cu12")
@example(least="1.0", found="1")
@example(least="1.0rc1", found="1.0b2")
def test_a_version_fits_a_requirement_as_packaging_says(least: str, found: str) -> None:
    """Plain versions, which are compared without it, and all others."""
    text = f"redis>={least}"
    expected = parse_requirement(text).specifier.contains(found, prereleases=True)

    assert fits_requirement(text, found) is expected
    assert fits_requirement("redis", found)


@pytest.mark.parametrize("text", ["", "redis=>5", "redis>=", "-redis", "redis>=5beta 6"])
def test_what_is_not_a_requirement_names_no_package(text: str) -> None:
    """The error is that of a requirement that is parsed."""
    with pytest.raises(ValueError, match=r"(?i)expected"):
        get_required_package(text)
