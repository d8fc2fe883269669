"""Where the packages use the module `re`, which backtracks, and with which patterns."""

import ast
import importlib
import re
import warnings
from collections.abc import Iterator
from typing import Any

from tests.architecture.source import PACKAGES, ROOT

__all__ = ["patterns_at", "places", "places_in"]

_MATCHING = {
    "compile",
    "search",
    "match",
    "fullmatch",
    "split",
    "findall",
    "finditer",
    "sub",
    "subn",
}


def places() -> set[str]:
    """Every `module:name`, the name being the constant or function."""
    return {
        f"{path.relative_to(ROOT).with_suffix('').as_posix().replace('/', '.')}:{name}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for name in places_in(path.read_text(encoding="utf-8"))
    }


def places_in(source: str) -> dict[str, list[ast.Call]]:
    """The names of a module at which `re` is given a pattern, each with the calls."""
    found: dict[str, list[ast.Call]] = {}
    for statement, call in _calls(ast.parse(source)):
        found.setdefault(_name_of(statement), []).append(call)
    return found


def patterns_at(place: str) -> Iterator[re.Pattern[str]]:
    """The patterns of a place: of a constant as it is, of a function those that are written out."""
    module, _, name = place.partition(":")
    with warnings.catch_warnings(action="ignore"):  # of libraries, when they are imported
        constant = getattr(importlib.import_module(module), name, None)
    yield from _compiled_in(constant)
    if callable(constant) or constant is None:
        path = ROOT / f"{module.replace('.', '/')}.py"
        for call in places_in(path.read_text(encoding="utf-8"))[name]:
            match call.args:
                case [ast.Constant(value=str(written)), *_]:
                    yield re.compile(written)


def _compiled_in(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _compiled_in(each)


def _calls(tree: ast.Module) -> Iterator[tuple[ast.stmt, ast.Call]]:
    for statement in tree.body:
        inner = statement.body if isinstance(statement, ast.ClassDef) else [statement]
        for each in inner:
            for node in ast.walk(each):
                if isinstance(node, ast.Call) and _is_matching(node.func):
                    yield each, node


def _is_matching(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr in _MATCHING
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
    )


def _name_of(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name), *_]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
    return f"line {statement.lineno}"
