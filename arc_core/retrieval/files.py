"""Finds files and reads them as passages: Markdown, plain text and HTML."""

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from arc_core.retrieval.passages import (
    DocumentSection,
    Outline,
    Passage,
    markdown_sections,
    split_passages,
)

_LEVELS = {"title": 0, "h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_UNREAD = frozenset({"script", "style", "template"})
_INLINE = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strong", "sub",
    "sup", "time", "tt", "u", "var", "wbr",
})  # fmt: skip
_LINES = frozenset({"br", "tr", "li", "dt", "dd"})
_CELLS = frozenset({"td", "th"})
_SPACE = re.compile(r"\s+")
_BLANK_LINES = re.compile(r"\n{3,}")


def html_sections(text: str) -> Iterator[DocumentSection]:
    """The sections of a page, by its title and its headings; scripts and styles are left out."""
    reader = _Reader()
    try:
        reader.feed(text)
        reader.close()
    except AssertionError as error:  # what the parser says of declarations that are not allowed
        raise ValueError("its markup cannot be read") from error
    yield from reader.finish()


class _Reader(HTMLParser):
    """Collects sections; a tag that is not an inline one ends the paragraph."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._sections: list[DocumentSection] = []
        self._outline = Outline()
        self._parts: list[str] = []
        self._title: list[str] | None = None
        self._unread: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a heading, a paragraph or what is left out."""
        if self._unread is not None:
            return
        if tag in _UNREAD:
            self._unread = tag
        elif tag in _LEVELS:
            self._end_heading(tag)
            self._end_section()
            self._title = []
        else:
            self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        """End it."""
        if self._unread is not None:
            self._unread = None if tag == self._unread else self._unread
        elif tag in _LEVELS:
            self._end_heading(tag)
        else:
            self._separate(tag)

    def handle_data(self, data: str) -> None:
        """Collect a text."""
        if self._unread is None:
            (self._parts if self._title is None else self._title).append(_SPACE.sub(" ", data))

    def finish(self) -> list[DocumentSection]:
        """All sections; the page has ended."""
        self._end_heading("h6")
        self._end_section()
        return self._sections

    def _separate(self, tag: str) -> None:
        if self._title is not None:
            self._title.append("" if tag in _INLINE else " ")
        elif tag in _CELLS:
            self._parts.append(" ")
        elif tag not in _INLINE:
            self._parts.append("\n" if tag in _LINES else "\n\n")

    def _end_heading(self, tag: str) -> None:
        if self._title is not None:
            title = _SPACE.sub(" ", "".join(self._title)).strip()
            self._outline.enter(_LEVELS[tag], title)
            self._title = None

    def _end_section(self) -> None:
        lines = "".join(self._parts).split("\n")
        text = _BLANK_LINES.sub("\n\n", "\n".join(" ".join(line.split()) for line in lines)).strip()
        self._parts = []
        self._sections.append(DocumentSection(self._outline.path, text))


_READERS = {
    ".md": markdown_sections,
    ".markdown": markdown_sections,
    ".txt": lambda text: iter([DocumentSection((), text)]),
    ".text": lambda text: iter([DocumentSection((), text)]),
    ".html": html_sections,
    ".htm": html_sections,
}
_MAX_BYTES = 32 * 1024 * 1024
_MOST_BROKEN = 0.01
"""The share of unreadable characters up to which a text is still worth reading."""

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class UnreadableError(Exception):
    """A file is not read; the text says why, for people."""


@dataclass(frozen=True, slots=True)
class FileReading:
    """The passages of a file, at least one, its title, and what could not be read of it."""

    title: str
    passages: list[Passage]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read; if it was found in a folder, it has to stay in that root."""

    path: Path
    root: Path | None = None


def files_in(paths: Iterable[Path]) -> Iterator[Found]:
    """The paths, and for folders the files in them that can be read; folders come first.

    Hidden files and folders are left out, and links to folders are not followed, so that no loop
    can be entered; a folder without any such file stands for itself.
    """
    for path in sorted(paths, key=lambda path: not path.is_dir()):
        if not path.is_dir():
            yield Found(path)
            continue
        found = [Found(file, path) for file in _files_below(path)]
        yield from found or [Found(path)]


def _files_below(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(parent, name)
            if not name.startswith(".") and file.suffix.lower() in _READERS and file.is_file():
                yield file


def read_file(file: Found) -> FileReading:
    """The passages of a file.

    Raises:
        UnreadableError: There is no such file, it is of another kind, it is not text, or it is a
            link out of the folder that it was found in.
    """
    path = file.path
    if path.is_dir():
        raise UnreadableError(f"no {_kinds()} file is in this folder")
    read = _READERS.get(path.suffix.lower())
    if read is None:
        raise UnreadableError(f"only {_kinds()} files can be read")
    text, broken = _decode(_read_bytes(_resolve_link(file)))
    try:
        sections = list(read(text))
    except ValueError as error:
        raise UnreadableError(str(error)) from error
    passages = split_passages(sections)
    if not passages:
        raise UnreadableError("there is no text in it")
    title = next((each.heading[0] for each in sections if each.heading), path.stem)
    note = f"{broken} characters are not UTF-8 and were left out" if broken else None
    return FileReading(title, passages, note)


def _resolve_link(file: Found) -> Path:
    """Resolve the path of a file, so that the file that is checked here is the one that is read."""
    if file.root is None:
        return file.path
    try:
        root, target = file.root.resolve(strict=True), file.path.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError in Python 3.11
        raise UnreadableError("it cannot be found") from error
    if not target.is_relative_to(root):
        raise UnreadableError("it is a link out of the folder: name the file itself to add it")
    if any(part.startswith(".") for part in target.relative_to(root).parts):
        raise UnreadableError("it is a link to a hidden file: name the file itself to add it")
    return target


def _read_bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise UnreadableError("it is not a file" if path.exists() else "it does not exist")
        if path.stat().st_size > _MAX_BYTES:
            raise UnreadableError(f"it is larger than {_MAX_BYTES // 1024 // 1024} MB")
        return path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"it cannot be opened: {error.strerror}") from error


def _decode(content: bytes) -> tuple[str, int]:
    """The text, and how many broken places were left out of it."""
    marked = (encoding for mark, encoding in _MARKS.items() if content.startswith(mark))
    encoding = next(marked, "utf-8")
    try:
        text, broken = content.decode(encoding), 0
    except UnicodeDecodeError:
        replaced = content.decode(encoding, errors="replace")
        broken = replaced.count("\ufffd")
        text = replaced.replace("\ufffd", "")
    if "\x00" in text:
        raise UnreadableError("it is not text")
    if broken > _MOST_BROKEN * len(text):
        raise UnreadableError("it is not UTF-8: convert it, as with iconv -f CP949 -t UTF-8")
    return text, broken


def _kinds() -> str:
    return ", ".join(_READERS)
