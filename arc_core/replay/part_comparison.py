"""The comparison of what a model was asked with what it would be asked today, part by part."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from itertools import zip_longest
from typing import Any

from arc_core.agents.agent import Agent
from arc_core.engine.journal.digests import StoreDigests
from arc_core.engine.journal.records import PartKind, RequestPart, RequestParts
from arc_core.errors import ConfigurationError
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.replay.differences import Difference, WiringChanges
from arc_core.runs.journal import RecordedPart, Recording

_Tool = Mapping[str, Any]


def find_change(before: Sequence[_Tool], now: Sequence[_Tool]) -> tuple[_Tool, str] | None:
    """Return a tool that has changed, and how; None if all are the same in the same order."""
    old, new = _by_name(before), _by_name(now)
    for name, tool in old.items():
        if name in new and (problem := next(_compare(tool, new[name]), None)):
            return new[name], problem
    for name, tool in old.items():
        if name not in new:
            return tool, "it is not offered any more"
    for name, tool in new.items():
        if name not in old:
            return tool, "it was not offered"
    for each, other in zip(before, now, strict=False):
        if each["name"] != other["name"]:
            return other, f"it stands where `{each['name']}` stood"
    return None


def _by_name(tools: Sequence[_Tool]) -> dict[str, _Tool]:
    return {str(tool["name"]): tool for tool in tools}


def _compare(before: _Tool, now: _Tool) -> Iterator[str]:
    old, new = before.get("parameters"), now.get("parameters")
    if old is not None and new is not None and old != new:
        yield from _compare_schemas(old, new)
    if before.get("description") != now.get("description"):
        yield "its description has changed"
    if before.get("package") != now.get("package"):
        yield f"it comes from {now.get('package') or 'the program'}, and came from " + (
            before.get("package") or "the program"
        )


def _compare_schemas(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, now = _get_properties(old), _get_properties(new)
    was, is_now = _get_required_names(old), _get_required_names(new)
    for name in now:
        if name not in before:
            yield f"parameter `{name}` is new" + (" and required" if name in is_now else "")
    for name in before:
        if name not in now:
            yield f"parameter `{name}` is gone"
    for name in now:
        if (name in is_now) != (name in was):
            yield f"parameter `{name}` " + (
                "became required" if name in is_now else "is not required any more"
            )
        if name in before and before[name] != now[name]:
            yield f"parameter `{name}`: {_name_change(before[name], now[name])}"
    if list(before) != list(now):
        yield "its parameters stand in another order"
    yield "its schema has changed"


def _get_properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _get_required_names(schema: Mapping[str, Any]) -> set[str]:
    found = schema.get("required")
    return set(map(str, found)) if isinstance(found, list) else set()


def _name_change(before: Any, now: Any) -> str:
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return f"{_write(before)} → {_write(now)}"
    keys = dict.fromkeys((*before, *now))
    changed = [key for key in keys if before.get(key) != now.get(key)]
    if not changed:
        return "its keys stand in another order"
    key = changed[0]
    return f"{key} {_write(before.get(key))} → {_write(now.get(key))}"


_MAX_CHARS = 120


def _write(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"


Mask = Callable[[str], Awaitable[str]]

_MAX_KNOWN = 10_000
_MAX_DIFF_LINES = 200
_NAMES = {
    PartKind.SYSTEM_PROMPT: "system prompt",
    PartKind.TOOLS: "tools",
    PartKind.HISTORY: "history",
    PartKind.MESSAGE: "message",
    PartKind.NOTE: "note of the engine",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A request of today, which is compared with a recorded one.

    Attributes:
        turn: In its run, from 1.
        place: Of a run below, as `tool/3/`; else empty.
        agent: That asks.
        request: As the model would be asked.
        history: How many of its messages stand before the question.
        named: Its parts, told from those of the request before.
        parts: All of its parts.
    """

    turn: int
    place: str
    agent: str
    request: ChatRequest
    history: int
    named: RequestParts
    parts: Sequence[RequestPart]


class EqualParts:
    """The pairs of parts that are equal though their digests are not: one of them is masked."""

    def __init__(self, mask: Mask | None) -> None:
        self._mask = mask
        self._known: dict[tuple[str, str], bool] = {}

    async def has(self, before: RecordedPart, now: RecordedPart) -> bool:
        """Return whether the text of today is the recorded one once it is masked."""
        if self._mask is None or not before.text:
            return False
        pair = before.digest, now.digest
        if pair not in self._known:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            self._known[pair] = json.loads(await self.mask(now.text)) == json.loads(before.text)
        return self._known[pair]

    async def mask(self, text: str) -> str:
        """Return a text of JSON as an export would have it, if its masks are installed here."""
        if self._mask is None:
            return text
        try:
            return await self._mask(text)
        except ConfigurationError:
            return text


class PartComparison:
    """Compares the requests of one recorded run, and of the runs below it."""

    def __init__(
        self,
        recording: Recording,
        *,
        digests: StoreDigests,
        wiring: WiringChanges,
        equal: EqualParts,
        agents: Mapping[str, Agent],
    ) -> None:
        self._texts, self._digests = recording.parts, digests
        self._wiring, self._equal, self._agents = wiring, equal, agents

    async def find_difference(
        self, asked: ModelRequest, recorded: RequestParts, before: Sequence[RequestPart]
    ) -> Difference | None:
        """Return the first difference between a request of today and all its recorded parts."""
        for place, (old, new) in enumerate(zip_longest(before, asked.parts)):
            if old is not None and new is not None:
                if old.kind is new.kind and old.digest in {"", new.digest}:
                    continue
            elif old is not None and not old.digest:
                continue
            found = await self._name_part(asked, place, old=old, new=new)
            if found is not None:
                return found
        return await self._compare_rest(asked, recorded)

    async def _compare_rest(self, asked: ModelRequest, recorded: RequestParts) -> Difference | None:
        named = asked.named
        if recorded.options and recorded.options != named.options:
            found = await self._compare_options(asked, recorded.options)
            if found is not None:
                return found
        if recorded.body and named.body and recorded.body != named.body:
            problem = "the model plugin encodes the same request in another way"
            name = self._wiring.find_name("chat_model")
            return self._name(asked, "body", problem, name=name, package=self._find_model())
        return None

    async def _name_part(
        self, asked: ModelRequest, place: int, *, old: RequestPart | None, new: RequestPart | None
    ) -> Difference | None:
        kinds = [each.kind for each in (old, new) if each is not None]
        digest = "" if old is None else old.digest
        if PartKind.TOOLS in kinds:
            is_same_kind = old is not None and old.kind is PartKind.TOOLS
            return await self._compare_tools(asked, digest if is_same_kind else "")
        if len(set(kinds)) == len(kinds):
            first = min(kinds, key=list(PartKind).index)
            is_gone = old is not None and old.kind is first
            problem = "it is not sent any more" if is_gone else "it was not sent"
            return self._name_window(asked, _NAMES[first], problem)
        if kinds[0] is PartKind.SYSTEM_PROMPT:
            return await self._compare_prompt(asked, digest)
        if kinds[0] is PartKind.NOTE:
            return await self._compare_note(asked, place, digest)
        return self._name_window(asked, _NAMES[kinds[0]], "another one is sent here")

    async def _compare_prompt(self, asked: ModelRequest, digest: str) -> Difference | None:
        now = self._digests.make_part(asked.request.system_prompt or "")
        before = self._find_part(digest, begins='"')
        if await self._equal.has(before, now):
            return None
        agent = self._agents.get(asked.agent)
        name = "llm.system_prompt" if agent is None else asked.agent
        texts = (before.text, await self._equal.mask(now.text)) if before.text else None
        return self._name(
            asked,
            "system prompt",
            "its text has changed",
            name=name,
            package=self._wiring.find_package("agents", asked.agent),
            diff="" if texts is None else diff_texts(*map(json.loads, texts)),
        )

    async def _compare_note(
        self, asked: ModelRequest, place: int, digest: str
    ) -> Difference | None:
        head = len(asked.parts) - len(asked.request.messages) + asked.history
        message = asked.request.messages[asked.history + place - head]
        now = self._digests.make_request_part(PartKind.NOTE, message)
        before = RecordedPart(digest, self._texts.get(digest, ""))
        if await self._equal.has(before, now):
            return None
        diff = diff_texts(before.text, now.text) if before.text else ""
        return self._name_window(asked, "note of the engine", "its text has changed", diff=diff)

    async def _compare_tools(self, asked: ModelRequest, digest: str) -> Difference | None:
        part = self._digests.find_tools(asked.request.tools)
        recorded = self._find_part(digest, begins="[")
        if await self._equal.has(recorded, part):
            return None
        if digest and not recorded.text:
            return self._name(asked, "tools", "their definitions have changed")
        before = self._list_tools(json.loads(recorded.text)) if digest else []
        now = [json.loads(await self._equal.mask(each.text)) for each in part.parts]
        found = find_change(before, now)
        if found is None:
            return None
        tool, problem = found
        package = str(tool.get("package", ""))
        return self._name(asked, "tool", problem, name=str(tool["name"]), package=package)

    def _list_tools(self, entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        parts = ((each, self._find_part(each.get("digest", ""), begins="{")) for each in entries)
        return [{**each, **json.loads(part.text or "{}")} for each, part in parts]

    def _find_part(self, digest: str, *, begins: str) -> RecordedPart:
        """The part of a digest; without its text if that was edited to JSON of another type."""
        text = self._texts.get(digest, "")
        return RecordedPart(digest, text if text.startswith(begins) else "")

    async def _compare_options(self, asked: ModelRequest, digest: str) -> Difference | None:
        now = self._digests.find_options(asked.request)
        before = self._find_part(digest, begins="{")
        if await self._equal.has(before, now):
            return None
        if not before.text:
            return self._name(asked, "options", "they have changed", package=self._find_model())
        old, new = json.loads(before.text), json.loads(await self._equal.mask(now.text))
        changed = [key for key in new if old.get(key) != new[key]]
        if not changed:
            return None
        key = changed[0]
        problem = "it has changed"
        if key != "response_schema":
            problem = f"{json.dumps(old.get(key))} → {json.dumps(new[key])}"
        return self._name(asked, "option", problem, name=key, package=self._find_model())

    def _find_model(self) -> str:
        return self._wiring.find_package("chat_model")

    def _name_window(
        self, asked: ModelRequest, part: str, problem: str, *, diff: str = ""
    ) -> Difference:
        """Return the difference of what the window of the model leaves, or of its messages."""
        package = self._wiring.find_package("token_estimator")
        return self._name(asked, part, problem, package=package, diff=diff)

    def _name(self, asked: ModelRequest, part: str, problem: str, **facts: str) -> Difference:
        place = asked.place
        found = Difference(turn=asked.turn, place=place, part=part, problem=problem, **facts)
        return add_versions(found, self._wiring)


def add_versions(found: Difference, wiring: WiringChanges) -> Difference:
    """Return a difference with the versions of its package."""
    before, now = wiring.find_versions(found.package)
    return replace(found, version_before=before, version_now=now)


def diff_texts(before: object, now: object) -> str:
    """Return the diff of two texts; long ones are cut."""
    lines = unified_diff(
        str(before).splitlines(), str(now).splitlines(), "recorded", "today", lineterm=""
    )
    kept = list(lines)
    if len(kept) > _MAX_DIFF_LINES:
        kept[_MAX_DIFF_LINES:] = [f"… {len(kept) - _MAX_DIFF_LINES} more lines"]
    return "\n".join(kept)
