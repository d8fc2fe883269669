"""The documentation works: its code runs, its links lead somewhere, its lists are complete."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import arc_autoconfig
import arc_core
from arc_core.errors import ArcError
from tests.architecture.source import ROOT
from tests.docs.pages import PAGES, Block, anchors, blocks, headings, links

CODE = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]


def python_blocks(page: Path) -> list[Block]:
    """What of a page is to be run."""
    text = page.read_text(encoding="utf-8")
    return [block for block in blocks(text) if block.language == "python"]


async def run(block: Block, page: Path, namespace: dict[str, object]) -> None:
    """Run a block as a person would type it, with `await` wherever it stands."""
    padded = "\n" * (block.line - 1) + block.text
    code = compile(padded, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(code, namespace)
    if inspect.iscoroutine(value):
        await value


@pytest.mark.parametrize("page", CODE, ids=lambda page: page.name)
async def test_the_code_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From top to bottom, in one session, without keys, network or settings of this machine."""
    monkeypatch.chdir(tmp_path)
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    namespace: dict[str, object] = {"__name__": "page"}

    for block in python_blocks(page):
        await run(block, page, namespace)


async def test_a_block_that_fails_is_seen() -> None:
    """The runner awaits and raises: a wrong example cannot pass."""
    page = "# Page\n\n```python\nimport asyncio\nawait asyncio.sleep(0)\nassert False\n```\n"
    block = next(blocks(page))

    with pytest.raises(AssertionError) as caught:
        await run(block, Path("page.md"), {})

    assert caught.traceback[-1].lineno == 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
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


def test_the_index_lists_every_page() -> None:
    """A reader of the index finds all pages."""
    listed = links((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))

    assert {page.name for page in (ROOT / "docs").glob("*.md")} - listed == {"index.md"}


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
