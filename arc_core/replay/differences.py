"""The differences of a recorded run and the same run today: the first one, and of the wiring."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any


class ReplayVerdict(StrEnum):
    """The verdict about one recording."""

    SAME = "same"
    """All that can be compared is equal."""

    DIFFERENT = "different"
    """A request would be another one, or a recorded answer has no place any more."""

    NOTHING_TO_COMPARE = "nothing to compare"
    """The recording names no parts of requests: it is of the layout arc-1."""

    ANSWERED = "answered"
    """With `live`: the model has answered."""

    UNRECORDED = "unrecorded"
    """With `live`: the model calls what the recording has no result of."""

    FAILED = "failed"
    """With `live`: the run has ended without an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first difference between a recorded run and the same run today.

    Attributes:
        turn: From 1; that of a run below counts its own turns.
        part: Of the request or of the run: `system prompt`, `tool`, `guard` and so on.
        name: Of what differs within the part, such as a tool; empty if the part is all.
        problem: What is different, in words.
        package: The distribution that has brought it; empty if the program or a setting has.
        version_before: Of the package when the run was recorded; empty if it is not known.
        version_now: Of the package today; empty if it is not there.
        diff: Of texts, as `diff -u` prints it; empty if there are none to compare.
        place: Of a run that another one has started, as `tool/3/`; else empty.
    """

    turn: int
    part: str
    problem: str
    name: str = ""
    package: str = ""
    version_before: str = ""
    version_now: str = ""
    diff: str = ""
    place: str = ""

    def __str__(self) -> str:
        """The difference as one line, without the diff of its texts."""
        named = f" `{self.name}`" if self.name else ""
        below = f", below {self.place.rstrip('/')}" if self.place else ""
        versions = self._name_versions()
        return f"turn {self.turn}{below}: {self.part}{named}{versions}: {self.problem}"

    def _name_versions(self) -> str:
        if not self.package:
            return ""
        before, now = self.version_before, self.version_now
        change = before if before == now else f"{before or '?'} → {now or 'gone'}"
        return f" ({self.package} {change})" if change else f" ({self.package})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOutcome:
    """The outcome of the replay of one recording.

    Attributes:
        run_id: Of the run that was recorded.
        verdict: What it came to.
        difference: The first one; None unless the verdict is `different`.
        notes: Differences of the wiring alone, and what could not be compared.
        turns: Requests that were compared, of runs below, too.
        answer: With `live`: what the model has answered, which call is not recorded, or why there
            is no answer; else None.
    """

    run_id: str
    verdict: ReplayVerdict
    difference: Difference | None = None
    notes: tuple[str, ...] = ()
    turns: int = 0
    answer: str | None = None

    def __str__(self) -> str:
        """The outcome as one line."""
        said = self.verdict.value if self.difference is None else str(self.difference)
        more = f": {self.answer}" if self.answer else ""
        return f"{self.run_id}: {said}{more}"


_Entry = Mapping[str, Any]


class WiringChanges:
    """The components of one recording, None if it has not named them, beside those of today."""

    def __init__(self, before: Sequence[_Entry] | None, now: Sequence[_Entry]) -> None:
        self._before, self._now = before or (), now
        self._is_known = before is not None

    def find_versions(self, package: str) -> tuple[str, str]:
        """Return the versions of a package, then and today; empty if it was or is not there."""
        return self._versions[0].get(package, ""), self._versions[1].get(package, "")

    def find_package(self, place: str, name: str | None = None) -> str:
        """Return the package of a component, of today or else of then; empty if none has one."""
        for entry in (*self._now, *self._before):
            if entry["place"] == place and (name is None or entry["name"] == name):
                return str(entry["package"])
        return ""

    def find_name(self, place: str) -> str:
        """Return the name of a component, of today or else of then; empty if there is none."""
        return next(
            (str(e["name"]) for e in (*self._now, *self._before) if e["place"] == place), ""
        )

    def may_have_had(self, place: str) -> bool:
        """Return whether a component of a place took part, which a record without wiring hides."""
        return not self._is_known or any(entry["place"] == place for entry in self._before)

    @cached_property
    def pure_guard(self) -> _Entry | None:
        """The first guard that is asked again and has changed; None if there is none."""
        changed = (e for e, _ in self._changes if e["place"] == "guards" and e.get("pure"))
        return next(changed, None)

    @cached_property
    def guards(self) -> Sequence[_Entry]:
        """The guards of today that are asked again."""
        return [e for e in self._now if e["place"] == "guards" and e.get("pure")]

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """All changes in words."""
        return tuple(f"{e['place']} `{e['name']}`{_name_package(e)}: {p}" for e, p in self._changes)

    @cached_property
    def _versions(self) -> tuple[dict[str, str], dict[str, str]]:
        return _list_versions(self._before), _list_versions(self._now)

    @cached_property
    def _changes(self) -> Sequence[tuple[_Entry, str]]:
        return list(self._find_changes()) if self._is_known else []

    def _find_changes(self) -> Iterator[tuple[_Entry, str]]:
        before, now = _key(self._before), _key(self._now)
        for key, entry in before.items():
            if key not in now:
                yield entry, "it is not there any more"
                continue
            other = now[key]
            if entry.get("version") != other["version"]:
                yield other, f"version {entry.get('version') or '?'} → {other['version'] or '?'}"
            if entry.get("type") != other["type"]:
                yield other, f"it is {other['type']}, and was {entry.get('type')}"
            for what, problem in _DIGESTS.items():
                digests = entry.get(what), other.get(what)
                if all(digests) and digests[0] != digests[1]:
                    yield other, problem
        for key, entry in now.items():
            if key not in before:
                yield entry, "it is new"


@lru_cache(maxsize=64)
def read_changes(before: str, now: str) -> WiringChanges:
    """Return the changes between the JSON of two wirings; many recordings have the same one."""
    entries = json.loads(before)
    if not isinstance(entries, list) or any("place" not in each for each in entries):
        entries = None  # the digest was edited to that of another part
    return WiringChanges(entries, json.loads(now))


_DIGESTS = {"settings": "its settings have changed", "code": "its code has changed"}


def _key(entries: Iterable[_Entry]) -> dict[tuple[str, str], _Entry]:
    return {(entry["place"], entry["name"]): entry for entry in entries}


def _list_versions(entries: Iterable[_Entry]) -> dict[str, str]:
    return {str(entry["package"]): str(entry["version"]) for entry in entries if entry["package"]}


def _name_package(entry: _Entry) -> str:
    return f" ({entry['package']})" if entry["package"] else ""
