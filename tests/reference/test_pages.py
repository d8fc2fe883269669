"""The API reference has every public name, and says what the docstrings say."""

import ast

import pytest

from reference.__main__ import FOLDER
from reference.definitions import Definition, Function, definitions, public_names
from reference.pages import PACKAGES, entry, flaws, index, page, problems


def definition(text: str) -> Definition:
    """A function, as it is found in a module."""
    node = ast.parse(text).body[0]
    assert isinstance(node, Function)
    return Definition(name="f", module="m", node=node, docstring=ast.get_docstring(node) or "")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_an_entry(package: str) -> None:
    """A name that can be imported can be looked up."""
    written = (FOLDER / f"{package}.md").read_text(encoding="utf-8").splitlines()

    assert [name for name in public_names(package) if f"## {name}" not in written] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_docstring(package: str) -> None:
    """With arguments that the function takes."""
    assert list(problems(package)) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_a_page_says_what_the_docstrings_say(package: str) -> None:
    """`make docs` writes the pages anew."""
    assert (FOLDER / f"{package}.md").read_text(encoding="utf-8") == page(package)


def test_the_index_lists_the_pages() -> None:
    """All that are there, and no others."""
    assert (FOLDER / "index.md").read_text(encoding="utf-8") == index()
    assert {path.stem for path in FOLDER.glob("*.md")} == {*PACKAGES, "index"}


def test_sections_of_a_docstring_become_lists() -> None:
    """Arguments, results and errors can be told apart."""
    docstring = "Do.\n\n  Args:\n    a: One.\n\n  Returns:\n    Two.\n\n  Raises:\n    E: Three.\n"

    lines = list(entry(definition(f'def f(a):\n  """{docstring}  """')))

    assert lines[lines.index("**Arguments**") + 2] == "- `a`: One."
    assert lines[lines.index("**Returns**") + 2] == "Two."
    assert lines[lines.index("**Raises**") + 2] == "- `E`: Three."


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("def f(a): ...", "f has no docstring"),
        ('def f(a):\n  """Do.\n\n  Args:\n    b: One.\n  """', "the argument b"),
    ],
)
def test_a_flaw_is_found(text: str, flaw: str) -> None:
    """A missing docstring, and an argument that is described and does not exist."""
    each = definition(text)

    assert any(flaw in found for found in flaws("f", each.node, each.docstring))


def test_entries_are_in_the_order_of_the_package() -> None:
    """Readers of `__all__` find the same order."""
    names = [each.name for each in definitions("arc_core.assembly")]

    assert names == public_names("arc_core.assembly")


def test_a_class_has_what_it_inherits_from_a_base_without_an_entry() -> None:
    """Else its readers would not find it anywhere."""
    assert "### Application.submit" in page("arc_autoconfig")
