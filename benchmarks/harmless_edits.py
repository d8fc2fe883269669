"""Edits of a shop that no model sees: other words in code, other code, more components."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from arc_core import Agent, Allowed, GuardRequest, Hook, Rejected, RunContext, tool
from arc_core.runs.journal import Recording
from benchmarks.recorded_shop import TrimGuard

__all__ = ["make_edit"]

Parts = dict[str, Any]

_NAMES = ("wanted", "thing", "given", "one", "text", "asked")
_FIND = '''
@tool
async def find(item: str) -> str:
    """Find an item."""
    # {comment}
    {name} = item
    return {expression}
'''
_EXPRESSIONS = (
    "f'found {{{name}}}'",
    "'found ' + {name}",
    "' '.join(('found', {name}))",
    "'found {{}}'.format({name})",
    "'other result of ' + {name}",
)
_INSTRUCTIONS = '''
async def write_instructions(run: RunContext) -> str:
    """{comment}"""
    {name} = run.now
    return {expression}
'''
_LAST = "Write to ann@example.com if unsure."
_DATED = (
    "f'You sell things. Now it is {{{name}.isoformat()}}. Write to ann@example.com if unsure.'",
    "'You sell things. Now it is ' + {name}.isoformat() + '. Write to ann@example.com if unsure.'",
    "'. '.join(['You sell things', f'Now it is {{{name}.isoformat()}}', _LAST])",
)
_TRIM: tuple[Callable[[str], str], ...] = (
    lambda text: " ".join(part for part in text.split() if part),
    lambda text: " ".join(text.replace("\n", " ").split()),
    lambda text: " ".join(text.strip().split()),
)


def make_edit(
    chance: random.Random, parts: Parts, recordings: Sequence[Recording]
) -> tuple[str, Sequence[Recording]]:
    """Make one to three edits, and return their names, and the recordings to replay."""
    edits = chance.sample(_EDITS, chance.randint(1, 3))
    for edit in edits:
        if edit is _upgrade_packages:
            recordings = [
                _with_version(each, f"0.0.{chance.randint(1, 99)}") for each in recordings
            ]
        else:
            edit(chance, parts)
    return " and ".join(each.__name__.strip("_") for each in edits), recordings


def _write_tool_anew(chance: random.Random, parts: Parts) -> None:
    source = _fill(chance, _FIND, _EXPRESSIONS)
    found = _execute(source, {"tool": tool})["find"]
    parts["tools"] = [found if each.name == "find" else each for each in parts["tools"]]


def _write_instructions_anew(chance: random.Random, parts: Parts) -> None:
    source = _fill(chance, _INSTRUCTIONS, _DATED)
    function = _execute(source, {"RunContext": RunContext, "_LAST": _LAST})["write_instructions"]
    parts["clerk"] = {**parts["clerk"], "instructions": function}


def _write_guard_anew(chance: random.Random, parts: Parts) -> None:
    trim = chance.choice(_TRIM)

    class SameGuard(TrimGuard):
        """The same in other words."""

        def normalize(self, text: str) -> str:
            return trim(text)

        async def check(self, request: GuardRequest) -> Allowed | Rejected:
            return await super().check(request)

    parts["guard"] = SameGuard()


def _add_agent(chance: random.Random, parts: Parts) -> None:
    parts["more"] = [*parts["more"], Agent(f"other{chance.randint(1, 999)}", instructions="Wait.")]


def _add_hook(chance: random.Random, parts: Parts) -> None:
    parts["more"] = [*parts["more"], Hook()]


def _mix_components(chance: random.Random, parts: Parts) -> None:
    tools = list(parts["tools"])
    chance.shuffle(tools)
    parts["tools"] = tools


def _change_other_settings(chance: random.Random, parts: Parts) -> None:
    settings = dict(parts["settings"])
    settings["retry"] = {"max_attempts": chance.randint(1, 5)}
    settings["concurrency"] = {"max_concurrent_requests": chance.randint(5, 50)}
    parts["settings"] = settings


def _upgrade_packages(chance: random.Random, parts: Parts) -> None:
    """Have the recordings come from other versions of the packages."""


def _with_version(recording: Recording, version: str) -> Recording:
    texts = {
        digest: _set_version(text, version) if '"place"' in text else text
        for digest, text in recording.parts.items()
    }
    return replace(recording, parts=texts)


def _set_version(text: str, version: str) -> str:
    entries = json.loads(text)
    return json.dumps([{**each, "version": each["version"] and version} for each in entries])


def _fill(chance: random.Random, source: str, expressions: Sequence[str]) -> str:
    name = chance.choice(_NAMES)
    expression = chance.choice(expressions).format(name=name)
    return source.format(name=name, expression=expression, comment=f"Edit {chance.random()}.")


def _execute(source: str, names: dict[str, Any]) -> dict[str, Any]:
    exec(compile(source, "<edit>", "exec"), names)
    return names


_EDITS = (
    _write_tool_anew,
    _write_instructions_anew,
    _write_guard_anew,
    _add_agent,
    _add_hook,
    _mix_components,
    _change_other_settings,
    _upgrade_packages,
)
