"""One change at a time, found by replays or not: `python -m benchmarks.seeded_regressions`.

Runs of all kinds are recorded. Each regression changes one part of the application, and a replay
has to name it by its part; what a new version of a package changes, by component, package and both
versions, too. Each harmless edit changes what no model sees, and must cause no alarm.
"""

import argparse
import asyncio
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arc_core import Allowed, GuardRequest, Rejected, RejectionCategory, RunContext
from arc_core.replay import ReplayVerdict
from arc_core.runs.journal import Recording
from arc_core.tools import FunctionTool
from benchmarks.harmless_edits import make_edit
from benchmarks.packaged_regressions import (
    PACKAGED,
    PackagedRegression,
    find_packaged_difference,
    record_packaged,
)
from benchmarks.recorded_shop import (
    KINDS,
    ShopModel,
    TrimGuard,
    Work,
    make_parts,
    open_shop,
    record,
)

__all__ = ["REGRESSIONS", "Outcome", "run"]

Parts = dict[str, Any]
Change = Callable[[Parts], None]


@dataclass(frozen=True, slots=True)
class Regression:
    """A change of one part of the shop.

    Attributes:
        name: Of the change.
        change: Makes it.
        said: What the difference has to name.
    """

    name: str
    change: Change
    said: str


def _set(section: str, **values: Any) -> Change:
    def change(parts: Parts) -> None:
        settings = dict(parts["settings"])
        settings[section] = {**settings.get(section, {}), **values}
        parts["settings"] = settings

    return change


def _put(name: str, value: Any) -> Change:
    def change(parts: Parts) -> None:
        parts["settings"] = {**parts["settings"], name: value}

    return change


def _agent(name: str, **values: Any) -> Change:
    def change(parts: Parts) -> None:
        parts[name] = {**parts[name], **values}

    return change


def _tool(name: str, **values: Any) -> Change:
    """Change a tool; a function changes its schema in place."""

    def change(parts: Parts) -> None:
        [found] = [each for each in parts["tools"] if each.name == name]
        for attribute, value in values.items():
            object.__setattr__(found, attribute, value)

    return change


def _schema(name: str, edit: Callable[[dict[str, Any]], None]) -> Change:
    def change(parts: Parts) -> None:
        [found] = [each for each in parts["tools"] if each.name == name]
        copy = _copy(found.parameters)
        edit(copy)
        object.__setattr__(found, "parameters", copy)

    return change


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(each) for key, each in value.items()}
    return [_copy(each) for each in value] if isinstance(value, list | tuple) else value


def _without(name: str) -> Change:
    def change(parts: Parts) -> None:
        parts["tools"] = [each for each in parts["tools"] if each.name != name]

    return change


def _add(tool: FunctionTool[Any, Any]) -> Change:
    def change(parts: Parts) -> None:
        parts["tools"] = [*parts["tools"], tool]

    return change


def _encode(encoding: bytes) -> Change:
    def change(parts: Parts) -> None:
        model: ShopModel = parts["model"]
        model.encoding = encoding

    return change


def _guard(normalize: Callable[[str], str | None]) -> Change:
    class ChangedGuard(TrimGuard):
        async def check(self, request: GuardRequest) -> Allowed | Rejected:
            text = normalize(request.text)
            if text is None:
                return Rejected("no", RejectionCategory.OFF_TOPIC)
            return Allowed(text=text)

    def change(parts: Parts) -> None:
        parts["guard"] = ChangedGuard()

    return change


def _instruct(write: Callable[[RunContext], str]) -> Change:
    async def instructions(run: RunContext) -> str:
        return write(run)

    return _agent("clerk", instructions=instructions)


def _add_field(schema: dict[str, Any]) -> None:
    schema["properties"]["more"] = {"type": "string"}
    schema["required"] = [*schema["required"], "more"]


def _rename(schema: dict[str, Any]) -> None:
    schema["properties"] = {"thing": schema["properties"].pop("item")}
    schema["required"] = ["thing"]


def _of_item(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda schema: schema["properties"]["item"].update(values)


_DATED = "You sell things. Now it is {}. Write to ann@example.com if unsure."
_SHOP_TOOLS = ("find", "look", "read", "crash", "pay")

REGRESSIONS: Sequence[Regression] = (
    *(
        Regression(f"prompt of the buyer {n}", _agent("buyer", instructions=text), "prompt `buyer`")
        for n, text in enumerate(("You buy!", "You buy. ", "you buy.", "", "You buy.\nNow."))
    ),
    *(
        Regression(f"default prompt {n}", _set("llm", system_prompt=text), "`llm.system_prompt`")
        for n, text in enumerate(("Be brief.", "Be kind.", "You are an assistant"))
    ),
    *(
        Regression(f"instructions {n}", _instruct(write), "system prompt `clerk`")
        for n, write in enumerate(
            (
                lambda run: _DATED.format(run.now.date()),
                lambda run: _DATED.format(run.now.isoformat()).replace("unsure", "in doubt"),
                lambda run: _DATED.format(run.now.isoformat()) + " ",
                lambda run: _DATED.format(run.now.isoformat()).lower(),
                lambda run: "You sell things.",
            )
        )
    ),
    *(
        Regression(f"description of {name}", _tool(name, description="Do it."), f"tool `{name}`")
        for name in _SHOP_TOOLS
    ),
    *(
        Regression(f"schema of {name} {n}", _schema(name, edit), f"tool `{name}`")
        for name in ("find", "look", "pay")
        for n, edit in enumerate(
            (_add_field, _rename, _of_item(type="integer"), _of_item(title="x"))
        )
    ),
    Regression("enum", _schema("find", _of_item(enum=["pot"])), "parameter `item`: enum"),
    Regression("closed", _schema("read", lambda s: s.update(title="x")), "tool `read`"),
    *(Regression(f"without {name}", _without(name), f"tool `{name}`") for name in _SHOP_TOOLS),
    Regression("no delegates", _agent("clerk", delegates=[]), "tool `ask_buyer`"),
    Regression("no handoffs", _agent("clerk", handoffs=[]), "tool `transfer_to_buyer`"),
    Regression("description of an agent", _agent("buyer", description="Buys."), "_buyer`"),
    Regression("fewer tools", _put("max_tools_per_request", 3), "it is not offered any more"),
    Regression("temperature", _set("llm", temperature=0.3), "option `temperature`"),
    Regression("answer tokens", _set("llm", max_output_tokens=900), "option `max_output_tokens`"),
    Regression("model", _set("llm", model="large"), "option `model`"),
    Regression("model of an agent", _agent("buyer", model="large"), "option `model`"),
    Regression("output of an agent", _agent("buyer", output=int), "prompt `buyer`"),
    Regression("tuning of an agent", _agent("clerk", temperature=0.9), "option `temperature`"),
    Regression("limit of calls", _put("max_tool_calls", 2), "limit"),
    Regression("higher limit of calls", _put("max_tool_calls", 11), "limit"),
    Regression("no calls", _put("max_tool_calls", 0), "it is not offered any more"),
    Regression("approval by a setting", _set("tools", needs_approval=["look"]), "approval of tool"),
    Regression("approval of a mark", _tool("find", needs_approval=True), "approval of tool `find`"),
    Regression("no approval", _tool("pay", needs_approval=False), "approval of tool `pay`"),
    Regression("small window", _set("llm", max_context_window_tokens=4500), "window"),
    Regression("large window", _set("llm", max_context_window_tokens=90_000), "window"),
    Regression("encoding", _encode(b"2"), "body"),
    Regression("encoding by version", _encode(b"v2;"), "body"),
    Regression("lower case", _guard(lambda text: text.lower().replace("clerk", "C")), "guard"),
    Regression("two spaces", _guard(lambda text: "  ".join(text.split())), "guard"),
    Regression("no normalisation", _guard(lambda text: text), "guard"),
    Regression("rejects more", _guard(lambda text: None), "guard"),
)


@dataclass(slots=True)
class Outcome:
    """The findings.

    Attributes:
        regressions: How many were tried.
        packaged: How many of these came with a new version of a package.
        missed: Those of which no replay has told.
        misnamed: Those that a replay has named otherwise, with what it said.
        edits: How many harmless edits were tried.
        alarms: Those at which a replay was alarmed, with what it said.
    """

    regressions: int = 0
    packaged: int = 0
    missed: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)
    edits: int = 0
    alarms: list[str] = field(default_factory=list)


async def run(
    regressions: Sequence[Regression], packaged: Sequence[PackagedRegression], *, edits: int
) -> Outcome:
    """Record runs, and replay them under each change."""
    outcome, chance = Outcome(), random.Random(29)
    recordings = await record(KINDS, make_parts(Work()), is_exported=False)
    for each in regressions:
        parts = make_parts(Work())
        each.change(parts)
        said = await _find_differences(recordings, parts)
        outcome.regressions += 1
        if not said:
            outcome.missed.append(each.name)
        elif not any(each.said in text for text in said):
            outcome.misnamed.append(f"{each.name}: {said[0]}")
    await _try_packaged(packaged, outcome)
    for _ in range(edits):
        parts = make_parts(Work())
        name, changed = make_edit(chance, parts, recordings)
        outcome.edits += 1
        if said := await _find_differences(changed, parts):
            outcome.alarms.append(f"{name}: {said[0]}")
    return outcome


async def _try_packaged(packaged: Sequence[PackagedRegression], outcome: Outcome) -> None:
    recording = await record_packaged()
    for each in packaged:
        found = await find_packaged_difference(recording, each)
        outcome.regressions += 1
        outcome.packaged += 1
        if found.difference is None:
            outcome.missed.append(each.name)
        elif str(found.difference) != each.said:
            outcome.misnamed.append(f"{each.name}: {found.difference}")
    found = await find_packaged_difference(recording, None)
    if found.difference is not None:
        outcome.alarms.append(f"a new version alone: {found.difference}")


async def _find_differences(recordings: Sequence[Recording], parts: Parts) -> list[str]:
    app = open_shop(parts)
    outcomes = [each async for each in app.replay(recordings)]
    return [str(each.difference) for each in outcomes if each.verdict is ReplayVerdict.DIFFERENT]


def main() -> None:
    """Measure, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=200)
    outcome = asyncio.run(run(REGRESSIONS, PACKAGED, edits=parser.parse_args().edits))
    sys.stdout.write(
        f"{outcome.regressions} regressions, {outcome.packaged} of them by a package: "
        f"{len(outcome.missed)} missed, "
        f"{len(outcome.misnamed)} misnamed; {outcome.edits} harmless edits: "
        f"{len(outcome.alarms)} alarms\n"
    )
    for line in (*outcome.missed, *outcome.misnamed, *outcome.alarms):
        sys.stdout.write(f"  {line}\n")


if __name__ == "__main__":
    main()
