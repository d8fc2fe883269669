"""The documentation works: its code runs, its links lead somewhere, its lists are complete."""

import importlib
import pkgutil
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import arc_autoconfig
import arc_core
from arc_core.errors import AgentErrorCode, ArcError
from tests.architecture.source import ROOT
from tests.docs.pages import PAGES, Block, anchors, blocks, headings, links

PROGRAMS = [
    pytest.param(page, block, id=f"{page.relative_to(ROOT)}:{block.line}")
    for page in PAGES
    for block in blocks(page.read_text(encoding="utf-8"))
    if block.language == "python"
]


def run(block: Block, page: Path, folder: Path) -> None:
    """Save a block as a file and run it as `python file.py` does."""
    file = folder / f"{page.stem}_{block.line}.py"
    file.write_text("\n" * (block.line - 1) + block.text, "utf-8")
    runpy.run_path(str(file), run_name="__main__")


@pytest.mark.slow
@pytest.mark.parametrize(("page", "block"), PROGRAMS)
def test_a_program_of_a_page_runs(
    page: Path, block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each by itself, saved as a file, without keys, network or settings of this machine."""
    monkeypatch.chdir(tmp_path)
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(key, raising=False)

    run(block, page, tmp_path)


@pytest.mark.slow
def test_the_first_program_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    """A newcomer saves the README's program as a file and starts it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    program = next(block for block in blocks(readme) if block.language == "python")
    (tmp_path / "weather.py").write_text(program.text, "utf-8")

    process = subprocess.run(
        [sys.executable, "weather.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert process.returncode == 0, process.stderr
    assert process.stdout == "Weather(city='Seoul', celsius=21)\n"


def test_no_program_prints_a_failed_run_as_none() -> None:
    """A program without a check prints `result.unwrap()`, which raises if there is no answer."""
    texts = [page.read_text("utf-8") for page in PAGES]
    texts += [file.read_text("utf-8") for file in (ROOT / "examples").glob("*.py")]

    assert [text for text in texts if "print(result.content)" in text] == []


def test_a_program_that_fails_is_seen(tmp_path: Path) -> None:
    """A wrong example cannot pass, and its line in the page is told."""
    page = "# Page\n\n```python\nimport sys\n\nassert not sys\n```\n"

    with pytest.raises(AssertionError) as caught:
        run(next(blocks(page)), Path("page.md"), tmp_path)

    assert caught.traceback[-1].lineno == 5


def test_an_await_outside_of_a_function_is_seen(tmp_path: Path) -> None:
    """Only a console takes it; a file does not."""
    page = "```python\nimport asyncio\nawait asyncio.sleep(0)\n```\n"

    with pytest.raises(SyntaxError):
        run(next(blocks(page)), Path("page.md"), tmp_path)


def test_no_text_stands_in_place_of_an_enum() -> None:
    """What pydantic would accept, type checkers refuse."""
    texts = [page.read_text(encoding="utf-8") for page in PAGES]

    assert not [text for text in texts if re.search(r"response_format=[\"']", text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Every link to another file, and to a heading in it, has a target."""
    broken = set()
    for target in links(page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.add(target)

    assert broken == set()


def test_a_broken_link_is_seen() -> None:
    """Links in prose are found, links in code and to other sites are not looked at."""
    page = "[a](gone.md#x) [b](https://example.org)\n```\n[c](code.md)\n```\n"

    assert links(page) == {"gone.md#x"}


@pytest.mark.parametrize(
    "folder",
    ["docs", "docs/api", "docs/coming-from", "docs/decisions", "docs/interfaces", "docs/tutorials"],
)
def test_an_index_lists_every_page(folder: str) -> None:
    """A reader of an index finds all pages of its folder, and the index of each folder in it."""
    listed = links((ROOT / folder / "index.md").read_text(encoding="utf-8"))

    pages = {page.name for page in (ROOT / folder).glob("*.md")}
    folders = {f"{page.parent.name}/index.md" for page in (ROOT / folder).glob("*/index.md")}
    assert (pages | folders) - listed == {"index.md"}


def test_every_error_code_says_what_to_do() -> None:
    """To callers in the table of errors, and to operators under a heading of its own."""
    table = (ROOT / "docs" / "errors.md").read_text("utf-8")
    titles = " ".join(headings((ROOT / "docs" / "incidents.md").read_text("utf-8")))

    assert [code for code in AgentErrorCode if f"| `{code}` |" not in table] == []
    assert [code for code in AgentErrorCode if code not in titles.replace(",", "").split()] == []


def error_classes() -> Iterator[type[ArcError]]:
    """Every public error class of the core and of the wiring."""
    for package in (arc_core, arc_autoconfig):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    pending = [ArcError]
    while pending:
        cls = pending.pop()
        yield cls
        pending += [child for child in cls.__subclasses__() if child.__module__.startswith("arc_")]


def test_every_error_class_has_a_heading() -> None:
    """Meaning, cause and action of each error can be looked up by its name."""
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")

    undocumented = {cls.__name__ for cls in error_classes() if not cls.__name__.startswith("_")}

    assert undocumented - set(headings(page)) == set()


def test_no_heading_is_left_of_an_error_that_is_gone() -> None:
    """Every heading that is the name of an error belongs to a class that exists."""
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")

    named = {title for title in headings(page) if title.endswith("Error")}

    assert named <= {cls.__name__ for cls in error_classes()}
