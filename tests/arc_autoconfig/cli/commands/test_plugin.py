"""`arc plugin new`."""

import ast
import sys
import tomllib
from pathlib import Path

import click
import pytest

from arc_autoconfig.cli.commands.plugin import KINDS, PackageKind, plugin
from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.offers import PLACES


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
    assert "-m pytest acme-pii" in result.stdout


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


@pytest.mark.parametrize("name", ["", "Acme", "a b", "../up", "1st", "a--b", "a/b", "-a", "a."])
def test_names_that_no_package_can_have_are_refused(name: str) -> None:
    """The error shows one that can."""
    result = invoke("plugin", "new", "--", name)

    assert result.exit_code == 2
    assert "is not a valid name of a distribution" in result.stderr
    assert "acme-pii" in result.stderr
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("arc", "Arc's own name"),
        ("arc-agents", "Arc's own name"),
        ("run", "`arc run` is a command of Arc's"),
        ("doctor", "`arc doctor` is a command of Arc's"),
        ("webhook", "Arc's own plugin webhook has this name"),
        ("rate-limit", "Arc's own plugin rate_limit has this name"),
        ("arc-core", "imported as arc_core, which exists already"),
        ("json", "json, which is a module of Python's own"),
        ("class", "class is a word of Python's"),
        ("tests", "imported as tests, which exists already"),
        ("pyyaml", "is installed, and the new package would replace it"),
        ("pytest", "is installed, and the new package would replace it"),
    ],
)
def test_names_that_are_taken_are_refused(name: str, cause: str) -> None:
    """The cause is told, and nothing is written."""
    result = invoke("plugin", "new", name)

    assert result.exit_code == 2
    assert cause in " ".join(result.stderr.split())
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_names_its_component(kind: PackageKind) -> None:
    """In the entry points of its interface, with a module and tests that Python can read."""
    invoke("plugin", "new", "acme.pii", "--kind", kind.name)

    folder = Path("acme.pii")
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    place = project["entry-points"][kind.group]["acme-pii"]
    module, _, member = place.partition(":")
    source = folder.joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8")
    body = ast.parse(source).body
    assigned = [each for node in body if isinstance(node, ast.Assign) for each in node.targets]
    defined = [getattr(node, "name", getattr(node, "id", None)) for node in (*body, *assigned)]
    assert member in defined
    assert ast.parse((folder / "tests" / f"test_{kind.module}.py").read_text("utf-8")).body


def test_every_group_for_single_components_has_a_kind() -> None:
    """But for those that agents seldom have two of, or that no template could begin."""
    rare = {
        *("arc.response_filter_chains", "arc.error_message_resolvers", "arc.agent_executors"),
        *("arc.run_journals", "arc.surfaces", "arc.deps", "arc.rerankers"),
        "arc.service_sources",
    }

    assert {kind.group for kind in KINDS.values()} == (
        {place.group for place in PLACES} | {"arc.commands"}
    ) - rare


def test_the_choices_are_the_kinds() -> None:
    """The command names them without importing what they are."""
    option = next(each for each in plugin.commands["new"].params if each.name == "kind_name")

    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == tuple(KINDS)


def test_the_commands_that_are_shown_use_the_python_that_has_arc(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another Python would look for Arc on a package index."""
    monkeypatch.setenv("PATH", "")

    result = invoke("plugin", "new", "acme-pii")

    assert f"{sys.executable} -m pip install -e 'acme-pii[test]'" in result.stdout
    assert f"{sys.executable} -m pytest acme-pii" in result.stdout


def test_another_folder_can_be_chosen(tmp_path: Path) -> None:
    """It must exist."""
    (tmp_path / "sources").mkdir()

    invoke("plugin", "new", "acme-pii", "--in", "sources")

    assert Path("sources/acme-pii/pyproject.toml").exists()
    assert invoke("plugin", "new", "acme-pii", "--in", "nowhere").exit_code == 2
