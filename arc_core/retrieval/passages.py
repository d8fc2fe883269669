"""Cuts a document into passages: as much as is worth reading at once, and no more."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_MAX_CHARS = 1_200
"""Five passages of this length fit into `rag.max_context_tokens`, in Korean too."""

_PARAGRAPHS = re.compile(r"\n\s*\n")
_ENDS = (". ", "? ", "! ", "다. ", "。", "\n", " ")
"""The places at which an overlong paragraph is cut, the best first."""


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """The text below one heading.

    Attributes:
        heading: With the headings above it, outermost first; empty for none.
        text: Paragraphs, with blank lines between them.
    """

    heading: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document.

    Attributes:
        heading: Of its section, `Guide > Install`; empty for none.
        text: Never blank.
    """

    heading: str
    text: str

    @property
    def with_heading(self) -> str:
        """The text below its heading, as models read it."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text


def split_passages(sections: Iterable[DocumentSection]) -> list[Passage]:
    """The passages of a document, in its order; none crosses a heading."""
    return [
        Passage(" > ".join(section.heading), text)
        for section in sections
        for text in _pack(_pieces(section.text))
    ]


def _pieces(text: str) -> Iterator[str]:
    """Paragraphs, and parts of those that are too long."""
    for paragraph in _PARAGRAPHS.split(text):
        rest = paragraph.strip()
        while len(rest) > _MAX_CHARS:
            cut = _cut(rest)
            yield rest[:cut].strip()
            rest = rest[cut:].strip()
        if rest:
            yield rest


def _cut(text: str) -> int:
    """Find a cut: behind a sentence, a line or a word of the second half, else anywhere."""
    for end in _ENDS:
        place = text.rfind(end, _MAX_CHARS // 2, _MAX_CHARS)
        if place >= 0:
            return place + len(end)
    return _MAX_CHARS


def _pack(pieces: Iterable[str]) -> Iterator[str]:
    """Neighbours together, as long as they fit."""
    packed = ""
    for piece in pieces:
        if packed and len(packed) + 2 + len(piece) > _MAX_CHARS:
            yield packed
            packed = ""
        packed = f"{packed}\n\n{piece}" if packed else piece
    if packed:
        yield packed


_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class Outline:
    """The headings above the place one is at."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        """Outermost first."""
        return tuple(title for _, title in self._open)

    def enter(self, level: int, title: str) -> None:
        """Come to a heading: it ends those of its own level and below."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        if title:
            self._open.append((level, title))


def markdown_sections(text: str) -> Iterator[DocumentSection]:
    """The sections of a text by its `#` headings, empty ones too; code has no headings."""
    outline, lines, fence = Outline(), list[str](), ""
    for line in text.splitlines():
        if marker := _FENCE.match(line):
            fence = _fence_after(fence, marker[1])
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        yield DocumentSection(outline.path, "\n".join(lines))
        lines = []
        outline.enter(len(heading[1]), (heading[2] or "").strip())
    yield DocumentSection(outline.path, "\n".join(lines))


def _fence_after(fence: str, marker: str) -> str:
    """The fence that is open behind a marker: it closes one of its own kind, or opens one."""
    if not fence:
        return marker
    closes = marker[0] == fence[0] and len(marker) >= len(fence)
    return "" if closes else fence
