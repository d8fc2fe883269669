"""What was tested is pinned, by version and by hash."""

import re

from tests.architecture.source import ROOT

CONSTRAINTS, LOCK = ROOT / "constraints.txt", ROOT / "requirements.lock"
_PIN = re.compile(r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)((?:.*\\\n)*.*)", re.MULTILINE)


def pins(text: str) -> dict[str, tuple[str, str]]:
    """Version and the rest of the entry, by normalised name."""
    return {
        re.sub(r"[-_.]+", "-", name).lower(): (version, rest)
        for name, version, rest in _PIN.findall(text)
    }


def test_the_lock_pins_what_the_constraints_pin() -> None:
    """Both name the same versions, so that what is installed by hash is what was tested."""
    constraints, lock = pins(CONSTRAINTS.read_text("utf-8")), pins(LOCK.read_text("utf-8"))

    assert constraints
    assert {name: lock[name][0] for name in constraints} == {
        name: version for name, (version, _) in constraints.items()
    }


def test_every_pin_of_the_lock_has_a_hash() -> None:
    """A file that was exchanged at its source is not installed."""
    lock = pins(LOCK.read_text("utf-8"))

    assert [name for name, (_, rest) in lock.items() if "--hash=sha256:" not in rest] == []
