"""Packages that people import from say what is public, and keep what is promised."""

import importlib

import pytest

from tests.architecture.source import ROOT, Source

PROMISED = {
    "arc_core.assembly": {
        "AssemblyError", "ListenerError", "ReflectiveAssembler", "StreamAppend", "StreamHandle",
        "StreamIndex", "StreamIndexedList", "StreamListener", "StreamMerge",
    },
    "arc_core.testing": {"ScriptedChatModel"},
    "arc_autoconfig": {
        "Application", "ArcContainer", "ArcSettings", "ConditionReport", "on_component", "on_env",
        "on_missing", "on_package", "on_setting", "provides",
    },
}  # fmt: skip


@pytest.mark.parametrize("package", ["arc_core", *PROMISED])
def test_all_names_of_a_package_are_declared(package: str) -> None:
    """What a package's `__init__` imports, or its stub, is public and in `__all__`, and no more."""
    folder = package.replace(".", "/")
    stubs = [f"{folder}/__init__{suffix}" for suffix in (".pyi", ".py")]
    path = next(each for each in stubs if (ROOT / each).exists())
    source = Source(path, (ROOT / path).read_text(encoding="utf-8"))

    imported = {name.rpartition(".")[2] for name, _ in source.imports}

    assert imported == set(importlib.import_module(package).__all__)


@pytest.mark.parametrize("package", PROMISED)
def test_promised_names_are_there(package: str) -> None:
    """No name that programs elsewhere rely on has gone."""
    missing = PROMISED[package] - set(importlib.import_module(package).__all__)

    assert missing == set()
