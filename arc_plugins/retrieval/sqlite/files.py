"""Finds files and reads them as passages: Markdown, plain text and HTML."""

import codecs
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arc_plugins.retrieval.sqlite.html_pages import html_sections
from arc_plugins.retrieval.sqlite.passages import (
    DocumentSection,
    Passage,
    markdown_sections,
    split_passages,
)

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
    """The passages of a file, as it was read."""

    passages: list[Passage]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read.

    Attributes:
        path: Where it is.
        root: The folder that it was found in and has to stay in; None when it was named itself.
    """

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
        passages = split_passages(read(text))
    except ValueError as error:
        raise UnreadableError(str(error)) from error
    if not passages:
        raise UnreadableError("there is no text in it")
    note = f"{broken} characters are not UTF-8 and were left out" if broken else None
    return FileReading(passages, note)


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
