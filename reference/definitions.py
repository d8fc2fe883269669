"""Finds where a public name is defined, by reading the source; nothing is imported."""

import ast
from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeGuard

__all__ = ["ROOT", "Class", "Definition", "Function", "definitions", "public_names"]

ROOT = Path(__file__).parents[1]

_FACES = ("arc_core", "arc_autoconfig")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Class = ast.ClassDef
Assignment = ast.Assign | ast.AnnAssign


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A public name and the statement that defines it.

    Attributes:
        name: As people import it.
        module: The module in which it is defined, dotted.
        node: The statement; the last one of a function with overloads.
        docstring: Its docstring, dedented; empty if there is none. That of an assignment is the
            text that stands below it.
    """

    name: str
    module: str
    node: Function | Class | Assignment
    docstring: str


def public_names(package: str) -> list[str]:
    """What `__all__` of a package or module lists, in its order.

    Raises:
        LookupError: There is no `__all__`, or it is not a plain list.
    """
    for node in _tree(package).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    raise LookupError(f"{package} has no __all__")


def definitions(package: str) -> Iterator[Definition]:
    """The definitions of everything that a package or module lists in `__all__`, in its order.

    Raises:
        LookupError: A name is listed and not defined.
    """
    for name in public_names(package):
        yield _definition(package, name)


def _definition(module: str, name: str) -> Definition:
    """Follow imports until the name is defined."""
    body = _tree(module).body
    for position, node in reversed(list(enumerate(body))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _definition(node.module, alias.name)
        if _defines(node, name):
            docstring = _docstring(node, body[position + 1 : position + 2])
            whole = _with_inherited(node, module) if isinstance(node, Class) else node
            return Definition(name=name, module=module, node=whole, docstring=docstring)
    raise LookupError(f"{name} is not defined in {module}")


def _with_inherited(node: Class, module: str) -> Class:
    """Return a class with the public methods of its bases that have no entry of their own."""
    body = [*node.body]
    for base in node.bases:
        name = ast.unparse(base).partition("[")[0]
        with suppress(LookupError):  # it is of another package, or built in
            found = _definition(module, name).node
            if isinstance(found, Class) and not any(name in public_names(each) for each in _FACES):
                own = {each.name for each in body if isinstance(each, Function)}
                given = [each for each in found.body if isinstance(each, Function)]
                body += [each for each in given if each.name not in own and each.name[0] != "_"]
    whole = copy(node)
    whole.body = body
    return whole


def _defines(node: ast.stmt, name: str) -> TypeGuard[Function | Class | Assignment]:
    if isinstance(node, Function | Class):
        return node.name == name
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == name
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name


def _docstring(node: Function | Class | Assignment, below: list[ast.stmt]) -> str:
    if isinstance(node, Function | Class):
        return ast.get_docstring(node) or ""
    match below:
        case [ast.Expr(value=ast.Constant(value=str(text)))]:
            return text
    return ""


@cache
def _tree(module: str) -> ast.Module:
    """The syntax tree of a module; of its stub if it has one, which says what is public."""
    place = ROOT.joinpath(*module.split("."))
    paths = [place / "__init__.pyi", place / "__init__.py", place.with_suffix(".py")]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        raise LookupError(f"{module} is not a module of this repository")
    return ast.parse(path.read_text(encoding="utf-8"))
