"""The page `docs/licences.md`: what the core and each extra install, and under which licence."""

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

_PAGE = Path(__file__).parents[1] / "docs" / "licences.md"
_OWN = "arc-agents"
_LEFT_OUT = {"dev"}
_HEAD = """\
# Licences of what is installed

Arc is under the Apache License 2.0; the page of `arc serve` has highlight.js, under the BSD
3-Clause License. What an installation brings beside it, as far as the packages say themselves, in
the versions that the tests run with. Below each table stands what these need in turn. `psycopg` and
`python-stdnum` are under the LGPL: they are used as they are published, and come with an extra
alone. This page is made by `python -m reference.licences`.
"""
_CLASSIFIER = "License :: OSI Approved :: "


def write_page() -> str:
    """Return the page, from the packages that are installed here."""
    own = distribution(_OWN)
    extras = sorted(set(own.metadata.get_all("Provides-Extra") or ()) - _LEFT_OUT)
    parts = [_HEAD]
    seen: set[str] = set()
    for extra in ("", *extras):
        title = f"Extra `{extra}`" if extra else "The core"
        direct = list(_list_requirements(own, extra))
        if named := [name for name in direct if name != _OWN]:
            needed = sorted(_list_all(named) - {_OWN, *named} - seen)
            parts.append(f"\n## {title}\n\n{_write_table(named)}")
            parts += [f"\nThese need: {', '.join(map(_describe, needed))}.\n"] if needed else []
            seen |= {*named, *needed}
    return "".join(parts)


def _list_requirements(found: Distribution, *extras: str) -> Iterator[str]:
    """The names of what a package needs here, with some of its extras or with "" without any."""
    for text in found.requires or ():
        needed = Requirement(text)
        asked = "extra ==" in text
        if not asked and "" not in extras:
            continue
        if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in extras):
            yield _normalise(needed.name)


def _list_all(names: Sequence[str]) -> set[str]:
    """Those packages, and all that they need."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        if (name := waiting.pop()) in found or (package := _find(name)) is None:
            continue
        found.add(name)
        waiting += _list_requirements(package, "")
    return found


def _write_table(names: Sequence[str]) -> str:
    rows = [f"| {name} | {_find_licence(name)} |" for name in sorted(set(names))]
    return "\n".join(["| Package | Licence |", "|---|---|", *rows, ""])


def _describe(name: str) -> str:
    return f"{name} ({_find_licence(name)})"


def _find_licence(name: str) -> str:
    """The licence as the package says it, in an expression, by a classifier, or in a line."""
    if (package := _find(name)) is None:
        return "not installed here"
    said, text = (_read(package, key) for key in ("License-Expression", "License"))
    classified = [
        each.rpartition(" :: ")[2]
        for each in package.metadata.get_all("Classifier") or ()
        if each.startswith(_CLASSIFIER)
    ]
    is_line = bool(text) and "\n" not in text and text != "UNKNOWN"
    return said or (text if is_line else ", ".join(classified)) or "see the package"


def _read(package: Distribution, key: str) -> str:
    return str(package.metadata[key]).strip() if key in package.metadata else ""


def _find(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    _PAGE.write_text(write_page(), "utf-8")
