"""The page about security names tests that are there."""

import re

import pytest

from tests.architecture.source import ROOT

_CODE = re.compile(r"`([^`]+)`")
_ROWS = [
    line.strip("|").split("|")
    for line in (ROOT / "docs/security.md").read_text("utf-8").splitlines()
    if line.startswith("| ")
]
_FILES = [
    path
    for folder in ("tests", "benchmarks", "arc_core/testing")
    for path in (ROOT / folder).rglob("*.py")
]
_NAMES = {
    name.split("[")[0]
    for *_, tests in _ROWS[1:]
    for name in _CODE.findall(tests)
    if "test" in name or name.endswith(".py")
}


def sources_of(file: str) -> list[str]:
    """The texts of the files that a name may mean; of all of them if it is empty."""
    if file.endswith(".py"):
        found = [path for path in _FILES if path.as_posix().endswith(f"/{file}")]
    else:
        found = [path for path in _FILES if f"/{file}/" in path.as_posix()]
    return [path.read_text("utf-8") for path in (found if file else _FILES)]


def test_every_threat_has_a_test() -> None:
    """A row without one only claims something."""
    assert [threat for threat, *_, tests in _ROWS[1:] if not _CODE.search(tests)] == []


@pytest.mark.parametrize("name", sorted(_NAMES))
def test_a_test_that_is_named_is_there(name: str) -> None:
    """As a file, a folder or a function, so that readers can look at what was shown."""
    file, _, function = name.rpartition("::") if "::" in name else ("", "", name)
    if "/" in function or function.endswith(".py"):
        file, function = function, ""

    sources = sources_of(file)

    assert sources
    assert any(f"def {function}" in source for source in sources)
