"""Keeps links and images that carry data out of what a model says.

Switched on by `output.links`. An instruction in a web page may make a model write what it knows
into the address of an image, which is fetched as soon as the answer is shown. Addresses on hosts of
`output.allowed_hosts` may carry anything, others only what names a page. Costs microseconds for a
piece of a stream, and holds back 24 characters, or an address until it ends.
"""

import re
from collections.abc import Iterator

from arc_core import GuardResult, OutputGuard, OutputGuardRequest
from arc_core.text.cleaning import CleanText, show
from arc_plugins.output_guards.leak_detection.elements import (
    find_addresses,
    find_elements,
    find_in_styles,
    read_styles,
)
from arc_plugins.output_guards.leak_detection.markdown import DestinationFinder, close_brackets
from arc_plugins.output_guards.leak_detection.scanning import (
    Excerpt,
    LeakFinding,
    find_end,
    mask_or_reject,
)
from arc_plugins.output_guards.leak_detection.settings import OutputSettings
from arc_plugins.output_guards.leak_detection.urls import AllowedHosts, carries_data, is_allowed

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
_SOURCE = re.compile(r"(?i:src|background|poster|srcset)\s?=\s?[\"']?\Z")
_ABSOLUTE = re.compile(r"\s*(?:(?i:https?|wss?|ftp):|[/\\]{2})")
_TRAILING = ".,;:!?*_~|]}"
_LOOK_BACK_CHARS, _MAX_SCHEME_CHARS = 14, 5


class LinkOutputGuard(OutputGuard):
    """Masks addresses that carry data as `[link]`, or rejects the answer."""

    order = 5  # before masks of other guards cut what an address carries
    pure = True
    window_chars = 24

    def __init__(self, *, settings: OutputSettings) -> None:
        self._mode = settings.links
        self._allowed = AllowedHosts(settings.allowed_hosts)

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        """Look for addresses in what has not left yet."""
        as_written = (self._find_destinations, self._find_elements, self._find_links)
        readings = ((CleanText.of, as_written), (read_styles, (self._find_styles,)))
        return await mask_or_reject(
            request,
            (self._find_links, self._find_styles),
            mode=self._mode,
            reason=_REASON,
            readings=readings,
        )

    def _find_destinations(self, excerpt: Excerpt) -> Iterator[LeakFinding]:
        """Images, links and definitions of Markdown."""
        text, finder = excerpt.text, DestinationFinder(excerpt.text)
        for each in finder.find(excerpt.begin):
            is_image = each.image >= 0
            if excerpt.is_open(each.end):
                begin = each.image if is_image else each.sign + 1
                yield LeakFinding(start=begin, end=each.end, mask=_MASK, is_open=True)
                return  # it covers the rest
            address = show(text[each.start : each.end].strip("<>")).text
            if not _ABSOLUTE.match(address):
                continue
            if self._carries(address, is_fetched=is_image or each.is_definition):
                yield LeakFinding(start=each.start, end=each.end, mask=_MASK)
                if is_image:
                    end = each.end + text.startswith(")", each.end)
                    yield LeakFinding(
                        start=each.image, end=end, mask=_MASK, is_open=excerpt.is_open(end)
                    )
        if finder.begun >= 0 and not excerpt.is_final:
            yield LeakFinding(start=finder.begun, end=len(text), mask=_MASK, is_open=True)

    def _find_elements(self, excerpt: Excerpt) -> Iterator[LeakFinding]:
        """Elements of HTML and SVG that a browser loads without a click."""
        for each in find_elements(excerpt.text, excerpt.begin):
            if not each.is_closed and not excerpt.is_final:
                yield LeakFinding(start=each.start, end=each.end, mask=_MASK, is_open=True)
                continue
            addresses = [found for value in each.values for found in find_addresses(value)]
            if any(self._carries(found) for found in addresses) or (
                each.is_base and not all(is_allowed(found, self._allowed) for found in addresses)
            ):
                yield LeakFinding(start=each.start, end=each.end, mask=_MASK)

    def _find_styles(self, excerpt: Excerpt) -> Iterator[LeakFinding]:
        for each in find_in_styles(excerpt.text, excerpt.begin):
            if excerpt.is_open(each.end):
                yield LeakFinding(start=each.sign, end=each.end, mask=_MASK, is_open=True)
                return
            address = excerpt.text[each.start : each.end]
            if _ABSOLUTE.match(address) and self._carries(address):
                yield LeakFinding(start=each.start, end=each.end, mask=_MASK)

    def _find_links(self, excerpt: Excerpt) -> Iterator[LeakFinding]:
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
            end = find_end(_UP_TO.get(before[-2:], _BARE), text, start)
            if excerpt.is_open(end):
                yield LeakFinding(start=start, end=end, mask=_MASK, is_open=True)
                return
            closed = close_brackets(text, start, end)
            address = text[start : closed if closed > start else end].rstrip(_TRAILING)
            is_long, is_source = end - start >= _MAX_CHARS, _SOURCE.search(before) is not None
            if is_long or self._carries(address, is_fetched=is_source):
                place = start + len(address)
                yield LeakFinding(start=start, end=place, mask=_MASK)

    def _carries(self, address: str, *, is_fetched: bool = True) -> bool:
        if address[:5].lower() == "data:":
            return False
        return carries_data(address, self._allowed, is_fetched=is_fetched)
