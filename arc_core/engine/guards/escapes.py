"""Documents without the escapes that they do not need: guards read what a program would read."""

import re

_HIGH, _LOW = "u[dD][89abAB][0-9a-fA-F]{2}", "u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(
    rf"\\(?:({_HIGH}\\{_LOW})|u([0-9a-fA-F]{{4}})|x([0-9a-fA-F]{{2}})|U([0-9a-fA-F]{{8}})"
    r"|\r?\n[ \t]*|.)",
    re.DOTALL,
)
_PAIR_BEGINNING = re.compile(rf"\\{_HIGH}\Z")
_BEGINNING = re.compile(r"\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?|U[0-9a-fA-F]{0,7}|\r)?\Z")
_LINE_BREAK = re.compile(r"\\\r?\n[ \t]*\Z")
_PLAIN = {"\\/": "/", "\\ ": " "}
_LAST = 0x10FFFF


def unescape(text: str) -> str:
    """The same document, in which letters stand for themselves.

    Quotes, backslashes, control characters and single halves of pairs stay as they are. What only
    YAML knows as an escape stands in no JSON document.
    """
    return _ESCAPE.sub(_plain, text) if "\\" in text else text


class Unescaper:
    """Does the same with a document that comes in pieces."""

    def __init__(self) -> None:
        self._rest = ""
        self._is_indentation = False

    def add(self, piece: str) -> str:
        """Return the part of the document that is now known to be whole, and was not before."""
        if self._is_indentation:
            piece = piece.lstrip(" \t")
        if not piece:
            return ""
        text = self._rest + piece
        place = _find_escape(_PAIR_BEGINNING, text, end=_find_escape(_BEGINNING, text))
        self._is_indentation = _find_escape(_LINE_BREAK, text) < len(text)
        text, self._rest = text[:place], text[place:]
        return unescape(text)

    def finish(self) -> str:
        """Return the rest of a document that breaks off in an escape."""
        rest, self._rest = self._rest, ""
        return unescape(rest)


def _plain(escape: re.Match[str]) -> str:
    if (pair := escape[1]) is not None:
        high, low = int(pair[1:5], 16), int(pair[7:], 16)
        return chr(0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00))
    digits = escape[2] or escape[3] or escape[4]
    if digits is None:
        is_line_break = escape[0][1] in "\r\n" and "\n" in escape[0]
        return "" if is_line_break else _PLAIN.get(escape[0], escape[0])
    code = int(digits, 16)
    is_needed = code < 0x20 or code in (0x22, 0x5C) or 0xD800 <= code <= 0xDFFF or code > _LAST
    return escape[0] if is_needed else chr(code)


def _find_escape(last: re.Pattern[str], text: str, *, end: int | None = None) -> int:
    """Return the index of the escape that a text ends in; its end if it ends in none of a kind."""
    end = len(text) if end is None else end
    if (found := last.search(text, 0, end)) is None:
        return end
    place = found.start()
    backslashes = place - len(text[:place].rstrip("\\"))
    return end if backslashes % 2 else place
