"""Finds files and reads them as passages: Markdown, plain text and HTML."""

import codecs
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arc_plugins.retrieval.sqlite.html_pages import html_sections
from arc_plugins.retrieval.sqlite.markdown import markdown_sections
from arc_plugins.retrieval.sqlite.passages import Passage, Section, passages_of

__all__ = ["Reading", "UnreadableError", "files_in", "reading_of"]

_READERS = {
    ".md": markdown_sections,
    ".markdown": markdown_sections,
    ".txt": lambda text: iter([Section((), text)]),
    ".text": lambda text: iter([Section((), text)]),
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
class Reading:
    """What was read of a file.

    Attributes:
        passages: In the order of the file.
        note: What could not be read; None where everything could.
    """

    passages: list[Passage]
    note: str | None = None


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The paths, and for folders the files in them that can be read.

    Hidden files and folders are left out, and links to folders are not followed, so that no loop
    can be entered; a folder without any such file stands for itself.
    """
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = list(_files_below(path))
        yield from found or [path]


def _files_below(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(parent, name)
            if not name.startswith(".") and file.suffix.lower() in _READERS and file.is_file():
                yield file


def reading_of(path: Path) -> Reading:
    """The passages of a file.

    Raises:
        UnreadableError: There is no such file, it is of another kind, or it is no text.
    """
    if path.is_dir():
        raise UnreadableError(f"no {_kinds()} file is in this folder")
    read = _READERS.get(path.suffix.lower())
    if read is None:
        raise UnreadableError(f"only {_kinds()} files can be read")
    text, broken = _decoded(_bytes_of(path))
    try:
        passages = passages_of(read(text))
    except ValueError as error:
        raise UnreadableError(str(error)) from error
    if not passages:
        raise UnreadableError("there is no text in it")
    note = f"{broken} characters are not UTF-8 and were left out" if broken else None
    return Reading(passages, note)


def _bytes_of(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise UnreadableError("it is no file" if path.exists() else "it does not exist")
        if path.stat().st_size > _MAX_BYTES:
            raise UnreadableError(f"it is larger than {_MAX_BYTES // 1024 // 1024} MB")
        return path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"it cannot be opened: {error.strerror}") from error


def _decoded(content: bytes) -> tuple[str, int]:
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
        raise UnreadableError("it is no text")
    if broken > _MOST_BROKEN * len(text):
        raise UnreadableError("it is not UTF-8: convert it, as with iconv -f CP949 -t UTF-8")
    return text, broken


def _kinds() -> str:
    return ", ".join(_READERS)
