"""Foreign text for terminals and logs: what could take over a terminal is written out."""

import re
from textwrap import indent

__all__ = ["escape_in_json", "visible", "visible_block"]

_INDENT = "    "

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and line feed
    "\u202a-\u202e\u2066-\u2069"  # they change the direction of what follows
    "\u2028\u2029\ud800-\udfff]"  # separators that break lines, and halves of characters
)
_BREAKS = re.compile("[\t\n]")


def visible(text: str, *, one_line: bool = False) -> str:
    """A text with its control characters, also tabs and line ends if wanted, as `repr` has them."""
    shown = _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))
    return _BREAKS.sub(_escape, shown) if one_line else shown


def visible_block(text: str) -> str:
    """A text that keeps its lines, indented, so that none of them looks like a record of a log."""
    return indent(visible(text), _INDENT, lambda _: True)


def escape_in_json(text: str) -> str:
    """JSON that means the same, without characters that a terminal would obey."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
