"""Edits of chained audit logs that are found and placed, and false alarms without one: counted.

Each trial writes a log of several processes over several files, changes one place in it at random,
and verifies. The other half changes nothing: files are rotated, writers die in the middle of a line
and several processes write at once.

    python -m benchmarks.audit_chain --edits 10000 --quiet-trials 1000
"""

import argparse
import json
import multiprocessing
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from arc_plugins.hooks.audit_log.chain.file import ChainedFile
from arc_plugins.hooks.audit_log.chain.lines import Seal
from arc_plugins.hooks.audit_log.chain.verification import (
    Finding,
    Head,
    Verification,
    read_heads,
    sort_files,
)

SEAL = Seal(b"a key of these trials")
NAME = "audit.log"

Edit = Callable[[random.Random, dict[Path, list[bytes]]], tuple[Path, int]]
"""Changes the lines of files; returns the file and the line where that is to be found."""


def write_log(folder: Path, random_: random.Random, *, lines: int = 30) -> None:
    """Write a log of three processes, over several files, with lines that crashes have cut."""
    path = folder / NAME
    writers = [ChainedFile(path, seal=SEAL, max_bytes=3000) for _ in range(3)]
    for number in range(lines):
        random_.choice(writers).append({"event": "run", "number": number, "text": "x" * number})
        if random_.random() < 0.05:
            crash(path, random_)


def crash(path: Path, random_: random.Random) -> None:
    """Leave a part of a line at the end of a file, as a writer that was killed does."""
    line = path.read_bytes().splitlines()[-1]
    with path.open("ab") as opened:
        opened.write(line[: random_.randrange(1, len(line) - 1)])


def find_files(folder: Path) -> list[Path]:
    """Return the files of a log, oldest first."""
    return sort_files(folder.glob(f"{NAME}*"))


def verify(folder: Path, heads: Sequence[Head] = ()) -> list[Finding]:
    """Return what the check of a log finds."""
    return [*Verification(SEAL, heads).check(find_files(folder))]


def edit_byte(random_: random.Random, files: dict[Path, list[bytes]]) -> tuple[Path, int]:
    """Change one byte of a line."""
    file, at = _choose(random_, files)
    line = bytearray(files[file][at])
    place = random_.randrange(len(line))
    line[place] = random_.choice([each for each in range(32, 127) if each != line[place]])
    files[file][at] = bytes(line)
    return file, at


def delete(random_: random.Random, files: dict[Path, list[bytes]]) -> tuple[Path, int]:
    """Delete one to three lines."""
    file, at = _choose(random_, files)
    del files[file][at : at + random_.randint(1, 3)]
    return file, at


def move(random_: random.Random, files: dict[Path, list[bytes]]) -> tuple[Path, int]:
    """Exchange two lines of a file."""
    file = random_.choice([each for each, lines in files.items() if len(lines) > 1])
    first, second = sorted(random_.sample(range(len(files[file])), 2))
    lines = files[file]
    lines[first], lines[second] = lines[second], lines[first]
    return file, first


def insert_copy(random_: random.Random, files: dict[Path, list[bytes]]) -> tuple[Path, int]:
    """Insert a copy of a line of the log."""
    source, copied = _choose(random_, files)
    file, at = _choose(random_, files)
    files[file].insert(at, files[source][copied])
    return file, at


def insert_forged(random_: random.Random, files: dict[Path, list[bytes]]) -> tuple[Path, int]:
    """Insert a line that a program without the key has made."""
    file, at = _choose(random_, files)
    files[file].insert(at, Seal(None).write({"v": 1, "chain": "x.1", "n": 0, "prev": ""})[:-1])
    return file, at


def truncate(random_: random.Random, files: dict[Path, list[bytes]]) -> tuple[Path, int]:
    """Cut off the end of the newest file."""
    file = [*files][-1]
    at = random_.randrange(len(files[file]))
    del files[file][at:]
    return file, at


EDITS: dict[str, Edit] = {
    "edit": edit_byte,
    "delete": delete,
    "move": move,
    "insert a copy": insert_copy,
    "insert a forged line": insert_forged,
    "truncate": truncate,
}


def try_edit(folder: Path, random_: random.Random, edit: Edit) -> tuple[bool, bool]:
    """Change a copy of a log; return if that is found, and if it is placed within a line of it."""
    heads = [*read_heads(find_files(folder))]
    files = {file: file.read_bytes().split(b"\n") for file in find_files(folder)}
    ends = {file: lines.pop() for file, lines in files.items()}
    before = {file: [*lines] for file, lines in files.items()}
    file, at = edit(random_, files)
    if files == before:  # two equal lines were exchanged
        return True, True
    changed = folder / "changed"
    changed.mkdir()
    for each, lines in files.items():
        text = b"".join(line + b"\n" for line in lines) + ends[each]
        (changed / each.name).write_bytes(text)
    found = verify(changed, heads)
    shutil.rmtree(changed)
    places = {(each.at.file.name, each.at.line) for each in found}
    return bool(found), not places.isdisjoint(_near(files, file, at))


def _near(files: dict[Path, list[bytes]], file: Path, at: int) -> set[tuple[str, int]]:
    """Return a line, its neighbours, and the first line of the next file if it is the last."""
    near = {(file.name, line) for line in (at, at + 1, at + 2)}
    if at < len(files[file]) - 1:
        return near
    names = [each.name for each in files]
    return near | {(each, 1) for each in names[names.index(file.name) + 1 :][:1]}


def _choose(random_: random.Random, files: dict[Path, list[bytes]]) -> tuple[Path, int]:
    file = random_.choice([each for each, lines in files.items() if lines])
    return file, random_.randrange(len(files[file]))


def _write_many(path: Path, seed: int, max_bytes: int) -> None:
    random_ = random.Random(seed)
    writer = ChainedFile(path, seal=SEAL, max_bytes=max_bytes)
    for number in range(20):
        writer.append({"event": "run", "number": number, "text": "x" * random_.randrange(200)})


def try_quiet(folder: Path, random_: random.Random, seed: int) -> list[Finding]:
    """Write with three processes, of which one is killed at random; return false alarms."""
    max_bytes = random_.choice((1500, 4000, 100_000))
    processes = [
        multiprocessing.Process(target=_write_many, args=(folder / NAME, seed + each, max_bytes))
        for each in range(3)
    ]
    for each in processes:
        each.start()
    time.sleep(random_.random() * 0.02)
    processes[0].kill()
    for each in processes:
        each.join()
    if random_.random() < 0.5 and (folder / NAME).exists() and (folder / NAME).stat().st_size:
        crash(folder / NAME, random_)
        _write_many(folder / NAME, seed, max_bytes)
    heads = [*read_heads(find_files(folder))]
    for file in find_files(folder)[: random_.choice((0, 0, 1))]:
        if file.name != NAME:
            file.unlink()  # as old files are removed
    return verify(folder, heads)


def main() -> None:
    """Run the trials, and print what was found as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--quiet-trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=29)
    asked = parser.parse_args()
    random_, counts = random.Random(asked.seed), Counter[str]()
    folder = Path(tempfile.mkdtemp(prefix="arc-audit-"))
    for number in range(asked.edits):
        if number % 20 == 0:
            shutil.rmtree(folder)
            folder.mkdir()
            write_log(folder, random_)
        name = random_.choice([*EDITS])
        found, placed = try_edit(folder, random_, EDITS[name])
        counts[f"{name}: tried"] += 1
        counts[f"{name}: found"] += found
        counts[f"{name}: placed"] += placed
    for number in range(asked.quiet_trials):
        shutil.rmtree(folder)
        folder.mkdir()
        counts["false alarms"] += bool(try_quiet(folder, random_, number * 10))
    shutil.rmtree(folder)
    counts["quiet trials"] = asked.quiet_trials
    print(json.dumps(dict(sorted(counts.items())), indent=2))


if __name__ == "__main__":
    main()
