"""Settings: a TOML file, `.env`, variables of the environment, and keywords."""

import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from arc_autoconfig import ArcSettings
from arc_autoconfig.settings.inputs.folder import DOT_ENV, OWN_FILE, SettingsFolder
from arc_autoconfig.settings.inventory import config_view, list_settings
from arc_autoconfig.settings.trust_needs import trust_needs
from arc_core.errors import ConfigurationError
from benchmarks.fuzzing.target import SECRET, Target, check_text

_GIVEN: dict[str, Any] = {
    "llm": {"api_key": SECRET, "base_url": f"https://u:{SECRET}@a.example/v1", "model": "m"},
    "profiles": {"prod": {"llm": {"model": "big"}}},
    "agents": {"clerk": {"instructions": "Sell.", "tools": ["a", "b"]}},
}


def _make_tree() -> dict[str, Any]:
    tree = json.loads(ArcSettings(_isolated=True).model_dump_json())
    return {**tree, **_GIVEN, "llm": {**tree["llm"], **_GIVEN["llm"]}}


def _walk(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _walk(value, (*path, name))
        elif value is not None:
            yield ".".join((*path, name)), value


def _name_variable(key: str) -> str:
    return "ARC_" + key.upper().replace(".", "__")


def _make_settings(kind: str, data: bytes) -> ArcSettings:
    if kind == "keywords":
        return ArcSettings(_isolated=True, **_load(data))
    if kind == "variables":
        lines = {_name_variable(key): value for key, value in _walk(_load(data))}
        texts = {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in lines.items()
        }
        plain = {
            name: text.encode(errors="replace").decode().replace("\0", "")
            for name, text in texts.items()
            if name.isascii() and "=" not in name and "\0" not in name
        }
        with patch.dict(os.environ, plain):
            return ArcSettings(_folder=SettingsFolder(Path.cwd(), {}))
    folder = SettingsFolder(Path.cwd(), {kind: data})
    for need in trust_needs(ArcSettings, folder):
        check_text(str(need))
    return ArcSettings(_folder=folder, _profiles=("prod",) if kind == OWN_FILE else ())


def _load(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return (
        {name: each for name, each in found.items() if name[:1] != "_"}
        if isinstance(found, dict)
        else {}
    )


async def _attempt(kind: str, data: bytes) -> bool:
    try:
        settings = _make_settings(kind, data)
    except ConfigurationError as error:
        check_text(str(error))
        return False
    for text in (repr(settings), str(config_view(settings, {})), str(list_settings(settings, {}))):
        if kind in {OWN_FILE, DOT_ENV} and SECRET in text:
            check_text(text)
    return True


@asynccontextmanager
async def open_target() -> AsyncIterator[Target]:
    """All sources, each alone."""
    tree = _make_tree()
    plain = {name: value for name, value in tree.items() if name != "profiles"}
    written = [(key, value) for key, value in _walk(tree) if not isinstance(value, dict)]
    toml = "\n".join(f"{key} = {json.dumps(value)}" for key, value in written)
    lines = [(key, value) for key, value in written if not key.startswith("profiles")]
    env = "\n".join(f"{_name_variable(key)}='{json.dumps(value)}'" for key, value in lines)
    samples = [
        *((kind, json.dumps(plain).encode()) for kind in ("keywords", "variables")),
        (OWN_FILE, toml.encode()),
        (DOT_ENV, env.encode()),
    ]
    yield Target(samples=samples, attempt=_attempt)
