"""`arc plugin new`."""

import tomllib
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.invoking import invoke


def test_a_package_is_written_into_a_folder_of_its_name() -> None:
    """With everything that installing and testing need; the next commands are shown."""
    result = invoke("plugin", "new", "acme-pii")

    written = {path.relative_to("acme-pii").as_posix() for path in Path("acme-pii").rglob("*.*")}
    assert written == {
        ".gitignore",
        "README.md",
        "acme_pii/__init__.py",
        "acme_pii/guard.py",
        "acme_pii/py.typed",
        "pyproject.toml",
        "tests/test_guard.py",
    }
    assert "pytest acme-pii" in result.stdout


def test_the_package_names_its_guard() -> None:
    """Under the name of the package, so that settings can name it."""
    invoke("plugin", "new", "acme-pii")

    project = tomllib.loads(Path("acme-pii/pyproject.toml").read_text("utf-8"))["project"]

    assert project["name"] == "acme-pii"
    assert project["entry-points"]["arc.guards"] == {"acme-pii": "acme_pii.guard:AcmePiiGuard"}


def test_an_existing_folder_is_left_alone() -> None:
    """Nothing of it is overwritten."""
    Path("acme-pii").mkdir()

    result = invoke("plugin", "new", "acme-pii")

    assert result.exit_code == 2
    assert "acme-pii exists already" in result.stderr
    assert list(Path("acme-pii").iterdir()) == []


@pytest.mark.parametrize("name", ["", "Acme", "a b", "../up", "1st", "a--b", "class", "a/b", "-a"])
def test_names_that_no_package_can_have_are_refused(name: str) -> None:
    """The error shows one that can."""
    result = invoke("plugin", "new", "--", name)

    assert result.exit_code == 2
    assert "acme-pii" in result.stderr
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize("name", ["json", "arc-core", "pytest"])
def test_names_of_others_are_refused(name: str) -> None:
    """The new package would be in their way."""
    assert "exists already" in invoke("plugin", "new", name).stderr


def test_another_folder_can_be_chosen(tmp_path: Path) -> None:
    """It must exist."""
    (tmp_path / "sources").mkdir()

    invoke("plugin", "new", "acme-pii", "--in", "sources")

    assert Path("sources/acme-pii/pyproject.toml").exists()
    assert invoke("plugin", "new", "acme-pii", "--in", "nowhere").exit_code == 2
