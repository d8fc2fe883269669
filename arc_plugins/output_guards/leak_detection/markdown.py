"""Images, links and definitions of Markdown, whatever stands around them.

A renderer knows the blocks of the whole document: what is a table, or code. Of a stream that is not
known when its text leaves, so that each place is read in every way in which a renderer may read it.
A bracket closes the one before it unless code, an element, a formula or another address may hide
it. What is found has all that a renderer finds.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from arc_plugins.output_guards.leak_detection.scanning import find_end

_SIGN = re.compile(r"\\[!-/:-@\[-`{-~]|!\[|\[|\](?:[(:][\s>]*+)?|[`<$]|\n(?=[ \t]*+\r?\n)")
_IN_ANGLES = re.compile(r"<(?:[^<>\n\\]|\\[^\n]?)*+>?")
_IN_LINE = re.compile(r"[^\x00-\x20\x7f]*+")
_BRACKETS = re.compile(r"\\.|[()]", re.DOTALL)
_MAX_DEPTH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """An address in Markdown.

    Attributes:
        sign: Where what says so begins: the bracket before it.
        start: Where it begins, behind white space.
        end: Behind its last character.
        image: Where the image begins that it may belong to; -1 if it can only be a link.
        is_definition: Whether an image elsewhere may refer to it.
    """

    sign: int
    start: int
    end: int
    image: int = -1
    is_definition: bool = False


class DestinationFinder:
    """Finds every address of a link, an image or a definition in a text, as it is written.

    Attributes:
        begun: Where the first image has begun that may go on behind the text; -1 if none has.
    """

    def __init__(self, text: str) -> None:
        self.begun = -1
        self._text = text
        self._opened: list[int] = []
        self._images: list[int] = []
        self._hidden_since = self._defined_up_to = self._end_of_run = -1

    def find(self, begin: int) -> Iterator[Destination]:
        """Each from a place on, in order."""
        if not any(sign in self._text for sign in ("![", "](", "]:")):
            return
        for sign in _SIGN.finditer(self._text, begin):
            place, mark = sign.start(), sign[0]
            if mark[0] == "]":
                yield from self._close(sign)
            elif mark[0] == "\n":
                self._opened.clear()
                self._images.clear()
            elif mark in ("[", "!["):
                self._opened.append(place)
                self._images += [place] if mark == "![" else []
            elif mark[-1] in "`<$":
                self._hidden_since = place
        self.begun = self._images[0] if self._images else -1

    def _close(self, sign: re.Match[str]) -> Iterator[Destination]:
        place, start, opened = sign.start(), sign.end(), self._opened
        if start == len(self._text) and start == place + 1:
            return  # what it closes is not known before the next character
        is_hidden = bool(opened) and self._hidden_since > opened[-1]
        kind = sign[0][1:2]
        if kind == "(":
            self._hidden_since = place
            image = self._images[-1] if self._images else -1
            end = self._end_of_destination(start)
            yield Destination(sign=place, start=start, end=end, image=image)
        elif kind == ":" and place >= self._defined_up_to:
            end = self._defined_up_to = self._end_of_destination(start)
            yield Destination(sign=place, start=start, end=end, is_definition=True)
        if opened and not is_hidden and opened.pop() in self._images[-1:]:
            self._images.pop()

    def _end_of_destination(self, start: int) -> int:
        text = self._text
        if text.startswith("<", start):
            return find_end(_IN_ANGLES, text, start)
        if start >= self._end_of_run:
            self._end_of_run = find_end(_IN_LINE, text, start)
        return close_brackets(text, start, self._end_of_run)


def close_brackets(text: str, start: int, end: int) -> int:
    """Return the end of an address: the bracket that closes one before it, or its last character.

    It is none if more than 32 brackets are open in it: then it ends where it begins.
    """
    depth = 0
    for bracket in _BRACKETS.finditer(text, start, end):
        if bracket[0] == "(":
            depth += 1
        elif bracket[0] == ")":
            depth -= 1
        if depth < 0:
            return bracket.start()
        if depth > _MAX_DEPTH:
            return start
    return end
