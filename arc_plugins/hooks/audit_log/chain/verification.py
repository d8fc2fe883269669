"""The check of the files of an audit log, which finds and places what was done to them.

Files are read line by line, so that memory does not grow with them. The files of one log are
checked together, oldest first; nothing is claimed of what stood before the first of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from pathlib import Path

from arc_plugins.hooks.audit_log.chain.lines import (
    MAX_LINE_BYTES,
    PLAIN,
    ChainLine,
    Seal,
    digest_torn,
    get_fingerprint,
    get_mac,
    is_torn,
    parse_line,
)

_MAX_PENDING = 1000
_TRIED_LINES = 5


class Tampering(StrEnum):
    """A kind of change that a chain shows."""

    EDITED = "edited"
    INSERTED = "inserted"
    MISSING = "missing"
    MOVED = "moved"
    TRUNCATED = "truncated"
    WRONG_KEY = "wrong key"


@dataclass(frozen=True, slots=True)
class LinePlace:
    """A line of a file, from 1; of lines that are missing, the one before which they stood."""

    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Finding:
    """A change that was found, with its place and in words."""

    at: LinePlace
    kind: Tampering
    text: str


@dataclass(frozen=True, slots=True)
class Head:
    """The last line of a chain: its number and its `mac`."""

    chain: str
    n: int
    mac: str


@dataclass(slots=True)
class _Pending:
    """Lines that are none of the log, until the line after them shows the reason."""

    places: list[LinePlace] = field(default_factory=list)
    texts: bytearray = field(default_factory=bytearray)
    mac: str | None = None

    def add(self, place: LinePlace, line: bytes) -> None:
        """Add a line that is not of the log."""
        self.mac = get_mac(line)
        if len(self.places) < _MAX_PENDING:
            self.places.append(place)
        if len(self.texts) <= 2 * MAX_LINE_BYTES:
            self.texts += line + b"\n"

    def explain(self, kind: Tampering) -> Iterator[Finding]:
        """Yield a finding for each."""
        text = "the line is not as it was written"
        if kind is Tampering.INSERTED:
            text = "the line does not belong to the log"
        for place in self.places:
            yield Finding(place, kind, text)

    @property
    def rest(self) -> bytes:
        """The lines, as a writer has found them."""
        return bytes(self.texts).removesuffix(b"\n")


class Verification:
    """Checks the files of a log, once, and that they have the heads that were kept elsewhere.

    Attributes:
        lines: How many lines were read.
        chains: The last line of each chain.
        notes: What crashes have left, and is not a change.
    """

    def __init__(self, seal: Seal, heads: Iterable[Head] = ()) -> None:
        self.lines, self.chains, self.notes = 0, dict[str, Head](), list[str]()
        self._seal = seal
        self._wanted = {(head.chain, head.n): head.mac for head in heads}
        self._prev: str | None = None
        self._file_number: int | None = None
        self._first_number = 0
        self._pending = _Pending()

    def check(self, files: Iterable[Path]) -> Iterator[Finding]:
        """Yield what is wrong, in the order of the log; raises OSError of a file."""
        at, text = LinePlace(Path(), 0), b""
        for file in sort_files(files):
            if not self.lines and (finding := self._check_key(file)):
                yield finding
                return
            at, text = LinePlace(file, 0), b""
            for at, text in read_lines(file):
                self.lines += 1
                yield from self._check_line(at, text.removesuffix(b"\n"))
        is_cut = is_torn(self._pending.rest) and not text.endswith(b"\n")
        if is_cut:
            self._note(self._pending.places[0])
        else:
            yield from self._pending.explain(Tampering.EDITED)
        yield from self._check_heads(LinePlace(at.file, at.line + 1))

    def _check_key(self, file: Path) -> Finding | None:
        """Return what is wrong if the log was made with another key: none of its lines fits."""
        first = [text.removesuffix(b"\n") for _, text in islice(read_lines(file), _TRIED_LINES)]
        found, ours = get_fingerprint(first[0]) if first else None, self._seal.fingerprint
        if found is None or found == ours or any(map(self._seal.read, first)):
            return None
        made, remedy = "with another key", "give the key that it was made with"
        if found == PLAIN:
            made, remedy = "without a key", "leave out --key-from"
        elif ours == PLAIN:
            made, remedy = "with a key", "give --key-from and the name of the variable that has it"
        text = f"the log says that it was made {made}; {remedy}"
        return Finding(LinePlace(file, 1), Tampering.WRONG_KEY, text)

    def _check_line(self, at: LinePlace, text: bytes) -> Iterator[Finding]:
        line = self._seal.read(text)
        if line is None:
            self._pending.add(at, text)
            return
        if self._wanted.get((line.chain, line.n)) == line.mac:
            del self._wanted[line.chain, line.n]
        flaws = [*self._explain_pending(at, line)]
        yield from flaws
        yield from self._check_place(at, line, is_explained=bool(flaws))

    def _explain_pending(self, at: LinePlace, line: ChainLine) -> Iterator[Finding]:
        """Yield what is wrong with the lines before one that fits; nothing if they are torn."""
        pending, self._pending = self._pending, _Pending()
        if line.torn:
            if digest_torn(pending.rest) == line.torn:
                self._note(pending.places[0])
                return
            yield Finding(at, Tampering.MISSING, "the unfinished line before it is gone or changed")
        if pending.places and pending.places[0].file != at.file and is_torn(pending.rest):
            yield Finding(at, Tampering.MISSING, "the line after an unfinished one is gone")
            return
        is_added = pending.mac != line.prev and self._prev == line.prev
        yield from pending.explain(Tampering.INSERTED if is_added else Tampering.EDITED)

    def _check_place(
        self, at: LinePlace, line: ChainLine, *, is_explained: bool
    ) -> Iterator[Finding]:
        """Yield what is wrong with the place of a line, and follow it unless it was moved."""
        skipped = self._count_files(line)
        last = self.chains.get(line.chain)
        missing = line.n - (-1 if last is None else last.n) - 1
        if skipped:
            yield Finding(at, Tampering.MISSING, f"{skipped} files before this one are not given")
        elif self._prev is None and line.file_number is None and not is_explained:
            yield Finding(at, Tampering.MISSING, "the beginning of the file is gone")
        elif missing < 0 and self._prev != line.prev:
            text = f"line {line.n} of the chain {line.chain} was moved here, or is a copy"
            yield Finding(at, Tampering.MOVED, text)
            return
        elif self._prev not in {None, line.prev} and not is_explained:
            count = f"{missing} lines" if missing else "lines of other chains before one"
            text = f"{count} of the chain {line.chain} are gone here, or stand elsewhere"
            yield Finding(at, Tampering.MISSING, text)
        self._prev = line.mac
        self.chains[line.chain] = Head(line.chain, line.n, line.mac)

    def _count_files(self, line: ChainLine) -> int:
        """Return how many files are missing before the one that a line begins."""
        if line.file_number is None:
            return 0
        before, self._file_number = self._file_number, line.file_number
        if before is None:
            self._first_number = line.file_number
            return 0
        return max(0, line.file_number - before - 1)

    def _check_heads(self, end: LinePlace) -> Iterator[Finding]:
        for chain, n in self._wanted:
            number = chain.rpartition(".")[2]
            if number.isdigit() and int(number) < self._first_number:
                continue  # of a file that was removed since
            last = self.chains.get(chain)
            ends = "is not there" if last is None else f"has its last line {last.n}"
            text = f"the chain {chain} {ends}, and its head was line {n}: the end was cut off"
            if last is not None and last.n >= n:
                text = f"line {n} of the chain {chain} is not the one whose head was kept"
            yield Finding(end, Tampering.TRUNCATED, text)

    def _note(self, at: LinePlace) -> None:
        self.notes.append(f"{at}: an unfinished line, as a crash leaves it")


def sort_files(files: Iterable[Path]) -> list[Path]:
    """Return files oldest first: those with numbers at their ends, then those without."""

    def rank(file: Path) -> tuple[bool, int]:
        number = file.suffix[1:]
        is_numbered = number.isascii() and number.isdigit()
        return not is_numbered, int(number) if is_numbered else 0

    return sorted(files, key=rank)


def read_lines(file: Path) -> Iterator[tuple[LinePlace, bytes]]:
    """Yield the lines of a file with their ends; of one that is too long only the beginning."""
    with file.open("rb") as opened:
        number = 0
        while text := opened.readline(MAX_LINE_BYTES):
            number += 1
            yield LinePlace(file, number), text
            while len(text) == MAX_LINE_BYTES and not text.endswith(b"\n"):
                text = opened.readline(MAX_LINE_BYTES)


def read_heads(files: Iterable[Path]) -> Iterator[Head]:
    """Yield the last line of each chain as it stands, without a check; raises OSError."""
    heads: dict[str, Head] = {}
    for file in sort_files(files):
        for _, text in read_lines(file):
            if (line := parse_line(text.removesuffix(b"\n"))) is not None:
                heads[line.chain] = Head(line.chain, line.n, line.mac)
    yield from heads.values()
