"""Keeps links and images that carry data out of what a model says.

Switched on by `output.links`. An instruction in a web page may make a model write what it knows
into the address of an image, which is fetched as soon as the answer is shown. Addresses on hosts of
`output.allowed_hosts` may carry anything, others only what names a page. Costs microseconds for a
piece of a stream, and holds back 24 characters, or an address until it ends.
"""

import re
from collections.abc import Iterator
from functools import cache

from arc_core import GuardResult, OutputGuard, OutputGuardRequest
from arc_plugins.output_guards.leak_detection.scanning import Excerpt, Finding, decide
from arc_plugins.output_guards.leak_detection.settings import OutputSettings
from arc_plugins.output_guards.leak_detection.urls import AllowedHosts, carries_data

__all__ = ["LinkOutputGuard"]

_MASK = "[link]"
_REASON = "The answer was stopped because a link in it carries data to another host."
_MAX_CHARS = 2_048
_START = re.compile(
    r"(?<![+.\-/\\=&?%_])(?i:(?:https?|wss?|ftp):[/\\]{1,8})|(?<![A-Za-z0-9+.\-/\\=&?%_])(?i:www\.)|"
    r"(?<=(?i:href)=)(?i:https?):[/\\]{1,8}|(?<=[(\"'<=])[/\\]{2}(?![/\\\s])|"
    r"(?<=\]:)[/\\]{2}(?![/\\\s])|(?<=\]: )[/\\]{2}(?![/\\\s])"
)
_ANCHOR = re.compile(r"[/\\]{2}|:[/\\]|[Ww]{3}\.")
_BARE = re.compile(r"(?:[^\s<>\"'`\[]|\[(?!link\])){0,2048}")
_UP_TO = {  # a browser leaves out line breaks in what is quoted
    '="': re.compile(r"[^\"<>]{0,2048}"),
    "='": re.compile(r"[^'<>]{0,2048}"),
    "(<": re.compile(r"[^<>\n]{0,2048}"),
}
_FETCHED = re.compile(r"(?:\]:[ \t]*<?|(?i:url)\([\"' ]?|(?i:src)=[\"']?)\Z")
_IMAGE = re.compile(
    r"!\[(?:[^\]\n]{0,200}(?:\](?:\((?:[ \t\n]{0,8}(?:<[^<>\n]{0,2048}>?|[^\s<>]{0,2048}))?)?)?)?"
)
_TARGET = re.compile(r"\]\([ \t\n]{0,8}<?")
_TAG_START = re.compile(r"<[A-Za-z]")
_TAG = re.compile(
    r"<(?i:img|image|iframe|script|link|meta|video|audio|source|embed|object|input|track|picture)"
    r"(?:[\s/](?:[^<>\"']|\"[^\"]{0,2048}\"?|'[^']{0,2048}'?){0,2048}>?)?"
)
_IN_A_TAG = re.compile(r"(?i:[a-z]{2,5}:)?[/\\]{2}[^\s\"'<>,]{1,2048}")
_MAX_DEPTH = 32
_BRACKETS = re.compile(r"[()]")
_TRAILING = ".,;:!?*_~|]}"
_LOOK_BACK_CHARS, _MAX_SCHEME_CHARS = 8, 5


class LinkOutputGuard(OutputGuard):
    """Masks addresses that carry data as `[link]`, or rejects the answer."""

    order = 5  # before masks of other guards cut what an address carries
    window_chars = 24

    def __init__(self, *, settings: OutputSettings) -> None:
        self._mode = settings.links
        self._allowed = AllowedHosts(settings.allowed_hosts)

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        """Look for addresses in what has not left yet."""
        rules = (self._find_images, self._find_tags, self._find_links)
        return await decide(request, rules, mode=self._mode, reason=_REASON)

    def _find_images(self, excerpt: Excerpt) -> Iterator[Finding]:
        """Images in Markdown, with what describes them."""
        place = excerpt.text.find("![", excerpt.begin)
        while place >= 0:
            image = _IMAGE.match(excerpt.text, place)
            assert image is not None
            end = image.end()
            target = _TARGET.search(image[0])
            if excerpt.is_open(end):
                yield Finding(start=place, end=end, mask=_MASK, is_open=True)
                return  # it covers the rest
            if target and self._carries(_in_brackets(image[0][target.end() :])):
                closed = excerpt.text.startswith(")", end)
                end += closed
                yield Finding(start=place, end=end, mask=_MASK, is_open=excerpt.is_open(end))
            place = excerpt.text.find("![", place + 2)

    def _find_tags(self, excerpt: Excerpt) -> Iterator[Finding]:
        """Elements of HTML that a browser loads without a click."""
        if "<" not in excerpt.text:
            return
        carries = cache(self._carries)  # elements in each other have the same addresses
        for start in _TAG_START.finditer(excerpt.text, excerpt.begin):
            # Each by itself, also inside of another one, so that a quote too many hides nothing.
            tag = _TAG.match(excerpt.text, start.start(), start.start() + _MAX_CHARS)
            if tag is None:
                continue
            if excerpt.is_open(tag.end()):
                yield Finding(start=tag.start(), end=tag.end(), mask=_MASK, is_open=True)
                return
            if any(carries(each) for each in _IN_A_TAG.findall(tag[0])):
                yield Finding(start=tag.start(), end=tag.end(), mask=_MASK)

    def _find_links(self, excerpt: Excerpt) -> Iterator[Finding]:
        """Addresses, also in links and definitions of Markdown, and in attributes."""
        text, place = excerpt.text, excerpt.begin
        if "/" not in text and "\\" not in text and "w." not in text and "W." not in text:
            return
        while anchor := _ANCHOR.search(text, max(0, place)):
            nearest = max(place, anchor.start() - _MAX_SCHEME_CHARS)
            found = _START.search(text, nearest, anchor.end() + 1)
            place = anchor.end()
            if found is None:
                continue
            start = found.start()
            before = text[max(0, start - _LOOK_BACK_CHARS) : start]
            run = _UP_TO.get(before[-2:], _BARE).match(text, start)
            end = run.end() if run else place
            if excerpt.is_open(end):
                yield Finding(start=start, end=end, mask=_MASK, is_open=True)
                return
            address = _in_brackets(text[start:end]).rstrip(_TRAILING)
            is_fetched = _FETCHED.search(before) is not None
            if self._carries(address, is_fetched=is_fetched) or end - start >= _MAX_CHARS:
                place = start + len(address)
                yield Finding(start=start, end=place, mask=_MASK)

    def _carries(self, address: str, *, is_fetched: bool = True) -> bool:
        if address[:5].lower() == "data:":
            return False
        return carries_data(address, self._allowed, is_fetched=is_fetched)


def _in_brackets(address: str) -> str:
    """An address up to the bracket that closes one before it."""
    depth = 0
    for bracket in _BRACKETS.finditer(address) if ")" in address else ():
        depth += 1 if bracket[0] == "(" else -1
        if depth < 0:
            return address[: bracket.start()]
        if depth > _MAX_DEPTH:
            return address  # readers of Markdown count no further
    return address
