"""The page of the hosts has each sentence that a host says, word for word."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.architecture.source import ROOT

PAGE = " ".join((ROOT / "docs" / "hosts.md").read_text("utf-8").replace("`", "").split())
HOSTS = ("azure", "bedrock", "vertex")
_ERRORS = frozenset({
    "AuthenticationError", "ConfigurationError", "InvalidRequestError", "InvalidResponseError",
})  # fmt: skip


class _Local:
    """A value that is known only once the sentence is said."""

    def __getattr__(self, name: str) -> "_Local":
        return self

    def __repr__(self) -> str:
        return "…"


class _Locals(dict[str, Any]):
    def __init__(self, module: ModuleType) -> None:
        super().__init__()
        self._module = module

    def __missing__(self, name: str) -> object:
        if hasattr(self._module, name):
            raise KeyError(name)
        return _Local()


def sentences_of(module: ModuleType) -> Iterator[str]:
    """What it says in errors: what is wrong, what was looked for, and what to do."""
    assert module.__file__
    for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        said = [each.value for each in node.keywords if each.arg in {"remedy", "looked_for"}]
        for given in said + (node.args[:1] if name in _ERRORS else []):
            text = eval(compile(ast.Expression(given), "", "eval"), vars(module), _Locals(module))
            if isinstance(text, str) and text:
                yield " ".join(text.split())
    for name, value in vars(module).items():
        is_own = name.startswith("_") and not name.startswith("__")
        if is_own and isinstance(value, str) and value.count(" ") > 2:
            yield " ".join(value.split())


def sentences() -> list[str]:
    """Those of all hosts."""
    folders = (ROOT / "arc_plugins" / "hosts" / host for host in HOSTS)
    files = [file for folder in folders for file in folder.glob("[a-z]*.py")]
    modules = [import_module(f"arc_plugins.hosts.{each.parent.name}.{each.stem}") for each in files]
    return sorted({sentence for module in modules for sentence in sentences_of(module)})


@pytest.mark.parametrize("sentence", sentences())
def test_what_a_host_says_can_be_looked_up(sentence: str) -> None:
    """People search for the words that they have read."""
    assert sentence in PAGE
