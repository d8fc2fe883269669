"""The API reference has every public name, and says what the docstrings say."""

import ast

import pytest

from reference.__main__ import contents
from reference.definitions import ROOT, Definition, Function, definitions, public_names
from reference.pages import PACKAGES, entry, flaws, pages, problems


def definition(text: str) -> Definition:
    """A function, as it is found in a module."""
    node = ast.parse(text).body[0]
    assert isinstance(node, Function)
    return Definition(name="f", module="m", node=node, docstring=ast.get_docstring(node) or "")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_an_entry(package: str) -> None:
    """A name that can be imported can be looked up."""
    written = "\n".join(pages().values()).splitlines()

    missing = {
        name for name in public_names(package) if f"`from {package} import {name}`" not in written
    }
    assert missing == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_docstring(package: str) -> None:
    """With arguments that the function takes."""
    assert list(problems(package)) == []


@pytest.mark.parametrize("folder", ["api", "interfaces"])
def test_the_pages_say_what_the_code_says(folder: str) -> None:
    """`make docs` writes the pages anew."""
    paths = (ROOT / "docs" / folder).glob("*.md")

    assert {path.stem: path.read_text(encoding="utf-8") for path in paths} == contents()[folder]


@pytest.mark.parametrize("name", pages())
def test_a_page_is_short_enough_to_be_read(name: str) -> None:
    """What exports much has a page for each of its modules."""
    assert len(pages()[name].splitlines()) <= 600


def test_sections_of_a_docstring_become_lists() -> None:
    """Arguments, results and errors can be told apart."""
    docstring = "Do.\n\n  Args:\n    a: One.\n\n  Returns:\n    Two.\n\n  Raises:\n    E: Three.\n"

    lines = list(entry("m", definition(f'def f(a):\n  """{docstring}  """')))

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
    assert "### Application.submit" in pages()["arc_autoconfig.application"]
