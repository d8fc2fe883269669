"""Reads the text and the headings of HTML."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from arc_plugins.retrieval.sqlite.passages import DocumentSection, Outline

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
        del attrs
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
