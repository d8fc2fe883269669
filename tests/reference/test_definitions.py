"""Where a public name is defined is found without importing it."""

import ast

import pytest

from reference.definitions import definitions, public_names


def test_a_name_is_followed_to_its_module() -> None:
    """Through the imports of packages, and of stubs of packages that import lazily."""
    found = {each.name: each.module for each in definitions("arc_autoconfig")}

    assert found["Application"] == "arc_autoconfig.application"
    assert found["ArcSettings"] == "arc_autoconfig.settings.model"


def test_the_implementation_of_overloads_is_taken() -> None:
    """It is what has the docstring."""
    tool = next(each for each in definitions("arc_core") if each.name == "tool")

    assert isinstance(tool.node, ast.FunctionDef)
    assert tool.docstring.startswith("Make a function")


def test_an_alias_has_the_text_below_it() -> None:
    """A union cannot have a docstring of its own."""
    alias = next(each for each in definitions("arc_core") if each.name == "GuardResult")

    assert alias.docstring == "The decision of a guard."


@pytest.mark.parametrize("module", ["arc_plugins", "arc_core.gone"])
def test_a_module_without_public_names_is_an_error(module: str) -> None:
    """A page without entries is not written."""
    with pytest.raises(LookupError, match=module):
        public_names(module)
