"""Nothing tells people to install a package of another project, or that does not exist."""

import re
import tomllib
from collections.abc import Collection
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.source import PACKAGES, ROOT
from tests.docs.pages import PAGES, Block, blocks
from tests.packaging.environment import Environment

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NAME = PROJECT["name"]
EXTRAS = set(PROJECT["optional-dependencies"])
FREE = re.compile(r"\b(MIT(-0)?|BSD|ISC|Apache|PSF|Python Software Foundation)\b")
STRICT = re.compile(r"GPL|GNU|Mozilla|MPL|Eclipse|EPL|CDDL|Commercial|Proprietary")
KINDS = {".md", ".py", ".toml", ".txt", ".template", ""}
NOT_OURS = re.compile("arc[-_.]" + "reactor", re.IGNORECASE)


def texts() -> dict[str, str]:
    """Everything that people read or install from, by its place; the history is left out."""
    folders = [ROOT / name for name in (*PACKAGES, "docs", "examples", "benchmarks", "tests")]
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    files += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile")]
    files += [ROOT / name for name in ("pyproject.toml", "constraints.txt")]
    named = {file.relative_to(ROOT).as_posix(): file for file in files if file.suffix in KINDS}
    return {
        place: file.read_text("utf-8")
        for place, file in named.items()
        if not any(made in place for made in ("egg-info", ".venv/", "node_modules/"))
    }


def commands() -> list[Block]:
    """The blocks of the documentation that are typed into a shell."""
    pages = [page.read_text("utf-8") for page in PAGES]
    return [block for page in pages for block in blocks(page) if block.language == "console"]


def test_no_user_is_sent_to_the_package_of_another_project() -> None:
    """A distribution of a similar name on the public index runs code that is not Arc's."""
    assert [place for place, text in texts().items() if NOT_OURS.search(text)] == []


def test_every_extra_that_is_named_exists() -> None:
    """In documentation, remedies, templates and tests alike."""
    named = {
        (place, extra)
        for place, text in texts().items()
        for extras in re.findall(rf"{PROJECT['name']}\[([\w,]+)\]", text)
        for extra in extras.split(",")
    }

    assert {(place, extra) for place, extra in named if extra not in EXTRAS} == set()


def test_getting_started_lists_every_extra() -> None:
    """And says of each which other one it includes."""
    page = (ROOT / "docs/getting-started.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE)
    included = {extra: set(re.findall(r"includes `(\w+)`", told)) for extra, told in rows}

    brought = {
        extra: {found for each in needs for found in re.findall(rf"^{NAME}\[(\w+)\]", each)}
        for extra, needs in PROJECT["optional-dependencies"].items()
        if extra != "dev"
    }

    assert included == brought
    assert [extra for extra, _ in rows] == sorted(brought)


def needs_of(name: str, extras: Collection[str]) -> dict[str, Distribution]:
    """What a distribution needs with some extras, by name, as far as it is installed."""
    found: dict[str, Distribution] = {}
    ahead, seen = [(name, frozenset(extras))], set[object]()
    while ahead:
        each = name, extras = ahead.pop()
        if each in seen or find_distribution(name) is None:
            continue
        seen.add(each)
        found[name] = distribution(name)
        for need in map(Requirement, found[name].requires or ()):
            marker = need.marker
            if marker is None or any(marker.evaluate({"extra": it}) for it in ("", *extras)):
                ahead.append((canonicalize_name(need.name), frozenset(need.extras)))
    return found


def find_distribution(name: str) -> Distribution | None:
    """A distribution that is installed; None if it is not."""
    return next(iter(Distribution.discover(name=name)), None)


def licence_of(each: Distribution) -> str:
    """All that its metadata say of its licence in a line."""
    said = each.metadata
    classifiers = [it for it in said.get_all("Classifier") or () if it.startswith("License")]
    texts = [it.strip().partition("\n")[0] for it in said.get_all("License") or ()]
    return " / ".join([*(said.get_all("License-Expression") or ()), *classifiers, *texts])


def test_getting_started_names_every_licence_that_asks_for_more() -> None:
    """Of each extra, with all that its packages bring; of Arc itself there is none."""
    page = (ROOT / "docs/getting-started.md").read_text("utf-8")
    rows = re.findall(r"^\| ([\w, -]+) \| (`.+`) \| \w*[GM]PL [\d.]+.* \|$", page, re.MULTILINE)
    named = {
        (extra, name)
        for names, extras in rows
        for name in names.split(", ")
        for extra in re.findall(r"`(\w+)`", extras)
    }
    base = needs_of(NAME, ())
    needs = {("", name): each for name, each in base.items()}
    for extra in EXTRAS - {"dev"}:
        needs |= {
            (extra, name): each
            for name, each in needs_of(NAME, (extra,)).items()
            if name not in base
        }

    strict = {place for place, each in needs.items() if not FREE.search(licence_of(each))}
    strict |= {place for place, each in needs.items() if STRICT.search(licence_of(each))}

    assert strict == {place for place in named if find_distribution(place[1]) is not None}


def test_nothing_updates_arc_from_an_index() -> None:
    """An update looks the name up on the index even when Arc is installed, and it is not there."""
    pattern = re.compile(rf"(--upgrade|-U)\b.*{PROJECT['name']}|{PROJECT['name']}.*--upgrade")
    own = Path(__file__).relative_to(ROOT).as_posix()

    assert [place for place, text in texts().items() if place != own and pattern.search(text)] == []


def test_the_readme_says_where_arc_comes_from() -> None:
    """It is not published: the repository is where it is installed from."""
    readme = (ROOT / "README.md").read_text("utf-8")

    assert "not published" in readme
    assert "pip install ." in readme


def test_arc_itself_is_installed_from_a_folder_or_a_repository() -> None:
    """A command that names Arc brings an extra of the installed one, or says where Arc is."""
    lines = [line for block in commands() for line in block.text.splitlines() if "pip" in line]
    naming = [line for line in lines if PROJECT["name"] in line]

    bare = [line for line in naming if not re.search(rf"{PROJECT['name']}(\[|.* @ )", line)]

    assert bare == []


@pytest.mark.slow
@pytest.mark.pip
def test_an_extra_of_an_installed_arc_needs_no_index_for_arc(tmp_path: Path) -> None:
    """What remedies say works from a checkout: pip looks for the libraries only."""
    environment = Environment.create(tmp_path / "venv")

    extras = ",".join(sorted(EXTRAS - {"dev"}))
    output = environment.pip("install", "--dry-run", f"{PROJECT['name']}[{extras}]", cwd=tmp_path)

    assert "Would install" not in output
