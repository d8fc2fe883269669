"""A Python file as the rules of the house see it."""

import ast
import gc
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from grimp import ImportGraph, build_graph

ROOT = Path(__file__).parents[2]
PACKAGES = ("arc_core", "arc_plugins", "arc_autoconfig")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One file: its place below the repository and its text."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; looking for garbage while it grows would double the time."""
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return ast.parse(self.text)
        finally:
            if was_enabled:
                gc.enable()

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the syntax tree."""
        return list(ast.walk(self.tree))

    @cached_property
    def comments(self) -> dict[int, str]:
        """The comment of each line that has one, without its `#`."""
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        return {
            token.start[0]: token.string.lstrip("# ")
            for token in tokens
            if token.type == tokenize.COMMENT
        }

    @cached_property
    def functions(self) -> list[Function]:
        """All functions and methods, at any depth."""
        return [node for node in self.nodes if isinstance(node, Function)]

    @cached_property
    def classes(self) -> list[ast.ClassDef]:
        """All classes, at any depth."""
        return [node for node in self.nodes if isinstance(node, ast.ClassDef)]

    @cached_property
    def imports(self) -> list[tuple[str, int]]:
        """Every imported name in full, with its line: `asyncio.gather`, `pluggy`."""
        found: list[tuple[str, int]] = []
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found += [(alias.name, node.lineno) for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                found += [(f"{node.module}.{alias.name}", node.lineno) for alias in node.names]
        return found

    def at(self, line: int, problem: str) -> str:
        """A finding, in the form that editors jump to."""
        return f"{self.path}:{line}: {problem}"


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those of functions inside it."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, Function | ast.Lambda):
            pending += ast.iter_child_nodes(node)


def dotted(node: ast.expr) -> str:
    """`asyncio.timeout` for the expression that says it, the empty text for any other."""
    if isinstance(node, ast.Call):
        return dotted(node.func)
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}".lstrip(".")
    return node.id if isinstance(node, ast.Name) else ""


def sources(*folders: str) -> tuple[Source, ...]:
    """Every Python file below folders of the repository, but for environments that examples make.

    Each is read and parsed once, whichever folders it is asked for with.
    """
    return tuple(source for folder in folders for source in _sources_below(folder))


@cache
def _sources_below(folder: str) -> tuple[Source, ...]:
    return tuple(
        Source(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / folder).rglob("*.py"))
        if ".venv" not in path.parts
    )


@cache
def import_graph() -> ImportGraph:
    """Which module of the packages imports which."""
    return build_graph(*PACKAGES, cache_dir=None)
