"""Tests lie where their module lies."""

from collections.abc import Iterable
from pathlib import Path

from tests.architecture.source import PACKAGES, ROOT

TESTS = [
    path.relative_to(ROOT / "tests")
    for package in PACKAGES
    for path in sorted((ROOT / "tests" / package).rglob("test_*.py"))
]


def modules_for(test: Path) -> list[Path]:
    """What a test file may be about: `test_turn_loop_limits` is about `turn_loop`, or a part of it.

    A package counts as a module, and `test_public_names` is about its own package. The tests of a
    module with many subjects lie in a folder of its name.
    """
    if test.name == "test_public_names.py":
        return [test.parent]
    folders = [each.with_suffix(".py") for each in test.parents if each.name]
    words = test.stem.removeprefix("test_").split("_")
    return folders + [
        test.parent / ("_".join(words[:count]) + suffix)
        for count in range(len(words), 0, -1)
        for suffix in (".py", "")
    ]


def find_stray(tests: Iterable[Path]) -> list[Path]:
    """The test files that have no module."""
    return [
        test for test in tests if not any((ROOT / module).exists() for module in modules_for(test))
    ]


def test_every_test_file_mirrors_its_module() -> None:
    """`tests/<package>/…/test_<module>.py` tests `<package>/…/<module>.py`."""
    assert find_stray(TESTS) == []


def test_a_stray_test_file_is_found() -> None:
    """A name that is not a module's has none."""
    stray = Path("arc_core/test_nothing_of_the_kind.py")

    assert find_stray([stray]) == [stray]
