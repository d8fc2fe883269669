"""Signatures are readable and complete."""

import ast

import pytest

from reference.definitions import Class, Definition, Function
from reference.signatures import methods, parameters, signature


def node(text: str) -> Function | Class:
    """The first statement of a program, which is a function or a class."""
    statement = ast.parse(text).body[0]
    assert isinstance(statement, Function | Class)
    return statement


@pytest.mark.parametrize(("members", "lines"), [(2, 1), (9, 11)])
def test_a_long_union_has_a_member_a_line(members: int, lines: int) -> None:
    """A short one stands on one."""
    text = "Event = " + " | ".join(f"SomethingHappened{number}" for number in range(members))
    (statement,) = ast.parse(text).body
    assert isinstance(statement, ast.Assign)

    written = signature(Definition(name="x", module="m", node=statement, docstring=""))

    assert len(written.splitlines()) == lines


def shown(text: str) -> str:
    """The signature of a definition."""
    return signature(Definition(name="x", module="m", node=node(text), docstring=""))


def test_a_class_shows_fields_and_public_methods() -> None:
    """And how it is made; what is private stays out."""
    fields = "class C(B):\n  a: int = 1\n  _b: int\n"
    text = f"{fields}  def __init__(self, c): ...\n  def d(self): ...\n  def _e(self): ..."

    assert shown(text) == ("class C(B)\n    a: int = 1\n    def __init__(self, c)\n    def d(self)")


def test_a_property_is_seen_to_be_one() -> None:
    """It is read without a call."""
    assert "    @property\n    def a(self)" in shown("class C:\n  @property\n  def a(self): ...")


def test_a_long_signature_has_a_parameter_a_line() -> None:
    """Commas inside brackets and texts do not end a line."""
    names = ", ".join(f"parameter_{number}: int" for number in range(5))

    function = f"async def f(a: dict[str, int], {names}, b: str = ',') -> None: ..."
    lines = shown(function).splitlines()

    assert lines[:2] == ["async def f(", "    a: dict[str, int],"]
    assert lines[-2:] == ["    b: str=',',", ") -> None"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(self, a, /, *b, c=1, **d): ...", {"a", "b", "c", "d"}),
        ("class C:\n  a: int\n  def __init__(self, b): ...", {"a", "b"}),
    ],
)
def test_parameters_are_what_may_be_passed(text: str, names: set[str]) -> None:
    """Fields of a class count, since dataclasses take them."""
    assert parameters(node(text)) == names


def test_overloads_of_a_method_are_one() -> None:
    """A method has one entry."""
    text = "class C:\n  @overload\n  def f(self): ...\n  def f(self, a): ..."
    cls = node(text)
    assert isinstance(cls, Class)

    assert [ast.unparse(each.args) for each in methods(cls)] == ["self, a"]
