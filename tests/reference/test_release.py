"""What a release needs: notes, a README whose links work, and the licences of all it installs."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement

from reference.licences import write_page
from reference.release import ROOT, find_notes, make_absolute

CHANGELOG = """# Changelog

## [Unreleased]

## [0.2.0] - 2026-12-01

### Added

- More.

## [0.1.0] - 2026-11-01

- All.
"""


def test_the_notes_are_the_section_of_the_version() -> None:
    """Nothing of the versions before and behind it."""
    assert find_notes(CHANGELOG, "0.2.0") == "### Added\n\n- More.\n"


def test_a_version_without_notes_is_not_released() -> None:
    """The error says what to rename."""
    with pytest.raises(LookupError, match=r"no section \[0\.3\.0\]: rename \[Unreleased\]"):
        find_notes(CHANGELOG, "0.3.0")


def test_no_link_of_the_readme_needs_the_files_beside_it() -> None:
    """Pages lead to the tag, images to their bytes there."""
    readme = make_absolute(
        (ROOT / "README.md").read_text("utf-8"), "https://forge.example/arc/", "0.1.0"
    )

    targets = re.findall(r"\]\(([^)]+)\)", readme)
    assert [each for each in targets if not each.startswith(("https://", "http://", "#"))] == []
    assert "![" not in readme or "https://forge.example/arc/raw/v0.1.0/docs/images/" in readme
    assert "https://forge.example/arc/blob/v0.1.0/LICENSE" in targets


def test_the_licences_name_what_each_extra_installs() -> None:
    """Each library that is required is on the page, which is that of what is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {k: v for k, v in project["optional-dependencies"].items() if k != "dev"}
    needed = {
        Requirement(each).name.lower() for each in sum(extras.values(), project["dependencies"])
    }
    page = (ROOT / "docs/licences.md").read_text("utf-8")

    listed = set(re.findall(r"^\| ([a-z0-9-]+) \| (?!not installed)", page, re.M))
    assert needed - {"arc-agents"} - listed == set()
    assert set(re.findall(r"^\| .*", page, re.M)) == set(re.findall(r"^\| .*", write_page(), re.M))
