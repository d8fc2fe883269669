"""The page on architecture shows the engine as it is."""

import ast
import re

from tests.architecture.source import ROOT
from tests.docs.pages import blocks

ENGINE = ROOT / "arc_core" / "engine"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PICTURE = next(blocks(PAGE)).text


def test_every_room_of_the_engine_is_explained() -> None:
    """A folder that the table does not have would not be found."""
    rooms = {path.name for path in ENGINE.iterdir() if (path / "__init__.py").is_file()}

    assert set(re.findall(r"^\| `engine/(\w+)` \|", PAGE, re.MULTILINE)) == rooms


def test_every_module_of_the_picture_exists() -> None:
    """It names where each stage is."""
    named = set(re.findall(r"\b[a-z]+/[a-z_]{2,}\b", PICTURE))

    assert named
    assert [each for each in named if not (ENGINE / f"{each}.py").is_file()] == []


def test_the_picture_has_every_room() -> None:
    """But the journal, which is what the steps at its left are recorded in."""
    rooms = {path.name for path in ENGINE.iterdir() if (path / "__init__.py").is_file()}

    assert {each for each in rooms if f"{each}/" in PICTURE} == rooms - {"journal"}


def test_what_the_questions_lead_to_exists() -> None:
    """Each file is there, and defines what the table says is in it."""
    rows = re.findall(r"^\| [^|]+\? \| `([\w/]+\.py)` \| `([\w.]+)` \|$", PAGE, re.MULTILINE)

    assert len(rows) > 5
    assert [(file, name) for file, name in rows if not defines(file, name)] == []


def defines(file: str, name: str) -> bool:
    """Tell whether a file defines a class, a function, or a method of a class."""
    nodes: list[ast.stmt] = ast.parse((ROOT / file).read_text("utf-8")).body
    for part in name.split("."):
        found = next(
            (
                each
                for each in nodes
                if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
                and each.name == part
            ),
            None,
        )
        if found is None:
            return False
        nodes = found.body
    return True
