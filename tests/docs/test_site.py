"""The documentation as a site: it is built without warnings, and its links lead somewhere."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.docs.site import dead_links


@pytest.mark.slow
def test_the_site_is_built_and_has_no_dead_links(tmp_path: Path) -> None:
    """Nor does it load anything from another server."""
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")

    built = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert built.returncode == 0, built.stdout + built.stderr
    site = tmp_path / "build" / "site"
    assert (site / "getting-started" / "index.html").is_file()
    assert list(dead_links(site)) == []


def test_every_page_of_the_guides_has_a_place_in_the_site() -> None:
    """Pages of the reference and the decisions are reached from their indexes."""
    navigation = (ROOT / "zensical.toml").read_text(encoding="utf-8")

    docs = ROOT / "docs"
    pages = [
        page for name in (".", "coming-from", "tutorials") for page in (docs / name).glob("*.md")
    ]
    places = [page.relative_to(docs).as_posix() for page in pages]
    assert [place for place in places if f'"{place}"' not in navigation] == []


@pytest.mark.parametrize(
    ("element", "problem"),
    [
        ('<a href="gone/">x</a>', "index.html links to gone/, which is not there"),
        ('<a href="#gone">x</a>', "index.html links to #gone, which is not there"),
        ('<img src="a.png">', "index.html links to a.png, which is not there"),
        (
            '<script src="//cdn.example/a.js"></script>',
            "index.html loads //cdn.example/a.js, which is on another server",
        ),
    ],
)
def test_a_dead_link_is_seen(tmp_path: Path, element: str, problem: str) -> None:
    """One to a page, an anchor or a picture; and a script of another server."""
    (tmp_path / "index.html").write_text(f'<p id="here">{element}</p><a href="#here">y</a>')

    assert list(dead_links(tmp_path)) == [problem]
