"""Elements of HTML, SVG and CSS that a browser loads without a click, read as by it."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from arc_core.text.cleaning import CleanText
from arc_plugins.output_guards.leak_detection.scanning import find_end

_LOADING = (
    "img|image|picture|source|iframe|frame|script|link|meta|video|audio|track|embed|object|input|"
    "use|feimage|base|body|html|table|thead|tbody|tfoot|tr|td|th|param|applet|bgsound|portal|"
    "fencedframe|layer|ilayer|animate|animatemotion|animatetransform|animatecolor|set|mpath|"
    "textpath|tref|pattern|lineargradient|radialgradient|filter|cursor|mglyph|model"
)
_START = re.compile(rf"<(?i:{_LOADING})(?=[\s/>]|\Z)")
_BLANK = r"[\t\n\f\r ]"
_SPACE = re.compile(rf"(?:{_BLANK}|/)*+")
_ATTRIBUTE = re.compile(
    rf"=?[^\t\n\f\r />=]*+(?:{_BLANK}*+={_BLANK}*+"
    r"(?:\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^\"'>\t\n\f\r ][^>\t\n\f\r ]*+)?))?+"
)
_LEFT_OUT = re.compile("[\t\n\r]")
_ADDRESS = re.compile(r"(?i)(?:(?:https?|wss?|ftp):[/\\]*|[/\\]{2,})[^\s\"'<>]{1,4096}")
_STYLE = re.compile(
    r"(?i)(?<![\w-])url\([\s\"']*+|(image-set\()|"
    r"@import(?:\s|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|[\"'])*+"
)
_STYLE_ATTRIBUTE = re.compile(
    rf"(?i)(?<=[\s/\"'`;])style(?:{_BLANK}*+={_BLANK}*+|{_BLANK}*+\Z)"
    r"(?:\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^>\t\n\f\r ]*+))"
)
_IN_A_STYLE = re.compile(r"[^\s\"')<>;]*+")
_IN_A_SET = re.compile(r"[^;{}<]*+")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|\r?\n)")
_BEGUN_ESCAPE = re.compile(r"\\(?:[0-9a-fA-F]{0,6}|\r)\Z")
_LAST_CHARACTER = 0x10FFFF
_MAX_DEPTH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """The beginning of an element.

    Attributes:
        start: Its first character.
        end: Behind its last character; the end of the text if it goes on there.
        values: What its attributes say.
        is_closed: Whether it ends there.
        is_base: Whether addresses without a host are read from its one.
    """

    start: int
    end: int
    values: tuple[str, ...]
    is_closed: bool
    is_base: bool = False


class StyleAddress(NamedTuple):
    """The place of an address in a style, and of what says that it is one."""

    sign: int
    start: int
    end: int


def find_elements(text: str, begin: int) -> Iterator[Element]:
    """Elements that load something, also those in a value of another one, and styles of any.

    A browser reads attributes until the first `>` outside of quotes, and quotes only behind `=`.
    An element within another one that goes on as that does ends where both are alike, so that all
    of them are read once.
    """
    yield from _find_styled(text, begin)
    read = set[int]()
    for start in _START.finditer(text, begin) if "<" in text else ():
        values, place = list[str](), start.end()
        while (place := find_end(_SPACE, text, place)) < len(text) and text[place] != ">":
            if place in read:
                break
            read.add(place)
            attribute = _ATTRIBUTE.match(text, place)
            assert attribute is not None
            assert attribute.end() > place
            values += [each for each in attribute.groups() if each]
            place = attribute.end()
        is_closed = place < len(text)
        yield Element(
            start=start.start(),
            end=place + (is_closed and text[place] == ">"),
            values=tuple(values),
            is_closed=is_closed,
            is_base=start[0][1:].lower() == "base",
        )


def _find_styled(text: str, begin: int) -> Iterator[Element]:
    if "style" not in text.lower():
        return
    for style in _STYLE_ATTRIBUTE.finditer(text, begin):
        yield Element(
            start=style.start(),
            end=style.end(),
            values=tuple(each for each in style.groups() if each),
            is_closed=style.end() < len(text),
        )


def find_addresses(value: str) -> Iterator[str]:
    """Find what may be addresses in a value: of a list, a style, or a document in it."""
    for _ in range(_MAX_DEPTH):
        yield from _ADDRESS.findall(_LEFT_OUT.sub("", value))
        if "\\" in value:
            yield from _ADDRESS.findall(_ESCAPE.sub(_decode, value))
        decoded = html.unescape(value)
        if decoded == value:
            return
        value = decoded


def find_in_styles(text: str, begin: int) -> Iterator[StyleAddress]:
    """Addresses that CSS loads; one that may begin behind the text begins at its end."""
    lowered = text.lower()
    if not any(sign in lowered for sign in ("url(", "image-set(", "@import")):
        return
    for style in _STYLE.finditer(text, begin):
        sign, start = style.span()
        if not style[1]:
            yield StyleAddress(sign, start, find_end(_IN_A_STYLE, text, start))
            continue
        end = find_end(_IN_A_SET, text, start)
        if end == len(text):
            yield StyleAddress(sign, end, end)
        for address in _ADDRESS.finditer(text, start, end):
            yield StyleAddress(sign, *address.span())


def read_styles(text: str, *, is_final: bool = True) -> CleanText:
    """The text with what escapes of CSS stand for."""
    reading = CleanText(text)
    if "\\" in text:
        if not is_final and (begun := _BEGUN_ESCAPE.search(text)):
            reading.text = text[: begun.start()]
        reading.replace(_ESCAPE, _decode)
    return reading


def _decode(escape: re.Match[str]) -> str:
    code = int(escape[1] or "0", 16)
    return chr(code) if 0 < code <= _LAST_CHARACTER else ""
