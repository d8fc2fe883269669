"""The changes between the components that a recording names and those of the application."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

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
