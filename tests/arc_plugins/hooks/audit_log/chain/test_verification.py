"""A chained audit log shows what was changed in it, and takes nothing else for a change."""

import os
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arc_plugins.hooks.audit_log.chain.file import ChainedFile
from arc_plugins.hooks.audit_log.chain.lines import Seal
from arc_plugins.hooks.audit_log.chain.verification import (
    Finding,
    Tampering,
    Verification,
    read_heads,
)
from benchmarks.audit_chain import EDITS, SEAL, crash, find_files, try_edit, verify, write_log


def write(path: Path, *texts: str, max_bytes: int = 100_000) -> ChainedFile:
    """Write lines by a new writer."""
    writer = ChainedFile(path, seal=SEAL, max_bytes=max_bytes)
    for text in texts:
        writer.append({"event": "run", "text": text})
    return writer


def changes(found: list[Finding]) -> list[tuple[int, Tampering]]:
    """The lines and the kinds of findings."""
    return [(each.at.line, each.kind) for each in found]


@given(seed=st.integers(0, 2**32), name=st.sampled_from([*EDITS]))
@settings(max_examples=100, deadline=None)
def test_any_edit_is_found_and_placed(
    tmp_path_factory: pytest.TempPathFactory, seed: int, name: str
) -> None:
    """One edit of any kind, anywhere in a log of several writers and files, is found there."""
    folder, chance = tmp_path_factory.mktemp("log"), random.Random(seed)
    write_log(folder, chance)

    assert verify(folder, [*read_heads(find_files(folder))]) == []
    assert try_edit(folder, chance, EDITS[name]) == (True, True)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda each: [*each[:2], each[2].replace(b"two", b"2"), *each[3:]], (3, Tampering.EDITED)),
        (lambda each: [*each[:2], b'{"text":"new"}', *each[2:]], (3, Tampering.INSERTED)),
        (lambda each: [*each[:2], *each[3:]], (3, Tampering.MISSING)),
        (lambda each: [*each[:3], each[1], *each[3:]], (4, Tampering.MOVED)),
        (lambda each: each[:3], (4, Tampering.TRUNCATED)),
        (lambda each: each[1:], (1, Tampering.MISSING)),
    ],
)
def test_each_change_has_its_name_and_its_line(
    tmp_path: Path, change: object, expected: tuple[int, Tampering]
) -> None:
    """An edit, an insertion, a deletion, a copy, a cut end and a cut beginning."""
    path = tmp_path / "audit.log"
    write(path, "one", "two", "three")
    heads = [*read_heads([path])]
    assert callable(change)
    path.write_bytes(b"".join(line + b"\n" for line in change(path.read_bytes().splitlines())))

    found = [*Verification(SEAL, heads).check([path])]

    assert changes(found) == [expected]


def test_a_crash_in_the_middle_of_a_line_is_a_note(tmp_path: Path) -> None:
    """The next writer goes on behind it, and neither the crash nor a second one is a change."""
    path = tmp_path / "audit.log"
    write(path, "one")
    crash(path, random.Random(1))
    write(path, "two")
    crash(path, random.Random(2))

    verification = Verification(SEAL)

    assert [*verification.check([path])] == []
    assert len(verification.notes) == 2


def test_old_files_may_be_removed_and_later_ones_may_not(tmp_path: Path) -> None:
    """Nothing is missed if the oldest file is removed; one from the middle is."""
    path = tmp_path / "audit.log"
    write(path, *("x" * 300 for _ in range(9)), max_bytes=1000)
    files = find_files(tmp_path)
    heads = [*read_heads(files)]

    files[0].unlink()
    assert verify(tmp_path, heads) == []
    files[2].unlink()

    assert [each.kind for each in verify(tmp_path)] == [Tampering.MISSING]


def test_a_file_that_cannot_be_written_keeps_nothing_of_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk in the middle of a line raises, and the next line follows the one before."""
    path = tmp_path / "audit.log"
    writer, write_bytes = write(path, "one"), os.write

    def write_part(descriptor: int, data: bytes) -> int:
        if len(data) < 50:
            raise OSError("no space left")
        return write_bytes(descriptor, data[:-20])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write_part)
        with pytest.raises(OSError, match="no space"):
            writer.append({"event": "run", "text": "x" * 100})
    writer.append({"event": "run"})

    verification = Verification(SEAL)
    assert [*verification.check([path])] == []
    assert (verification.lines, verification.notes) == (3, [])


def test_a_new_day_begins_a_new_file(tmp_path: Path) -> None:
    """The day is that of UTC; the chain of the new file follows the old one."""
    days = [datetime(2026, 1, 1, 23, 59, tzinfo=UTC)]
    writer = ChainedFile(
        tmp_path / "audit.log",
        seal=SEAL,
        max_bytes=10_000,
        rotates_daily=True,
        now=lambda: days[-1],
    )

    writer.append({"event": "run"})
    days.append(days[0] + timedelta(minutes=2))
    writer.append({"event": "run"})

    assert [each.name for each in find_files(tmp_path)] == ["audit.log.000001", "audit.log"]
    assert verify(tmp_path) == []


@pytest.mark.parametrize(
    ("made", "asked", "remedy"),
    [
        (SEAL, Seal(b"another key"), "the key that it was made with"),
        (SEAL, Seal(None), "give --key-from"),
        (Seal(None), SEAL, "leave out --key-from"),
    ],
)
def test_a_wrong_key_is_one_finding(tmp_path: Path, made: Seal, asked: Seal, remedy: str) -> None:
    """It says what the log was made with, and does not blame each line."""
    path = tmp_path / "audit.log"
    writer = ChainedFile(path, seal=made, max_bytes=10_000)
    for _ in range(3):
        writer.append({"event": "run"})

    [found] = Verification(asked).check([path])

    assert found.kind is Tampering.WRONG_KEY
    assert remedy in found.text
