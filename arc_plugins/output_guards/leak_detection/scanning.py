"""Replaces what rules find in a text that may still go on.

Every rule decides by what stands close to a finding, and a finding that touches the end of a text
that goes on is open: it covers all to the end until more is known. So what leaves is the same,
however the text was split.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from arc_core import Allowed, GuardResult, OutputGuardRequest, Rejected, RejectionCategory
from arc_core.text.character_classes import find_hidden
from arc_core.text.cleaning import CleanText, show
from arc_plugins.output_guards.leak_detection.settings import LeakMode

_LOOK_BACK_CHARS = 96
_LONG_CHARS = 5_000
_REST_OF_WORD = re.compile(r"[A-Za-z0-9_-]*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A text in which rules look.

    Attributes:
        text: What is to leave, with what has left before it.
        begin: Where to look from: what has left already may be the beginning of a leak.
        released: Where the part begins that has not left yet.
        is_final: Whether nothing follows.
    """

    text: str
    begin: int
    is_final: bool
    released: int = 0

    def is_open(self, end: int) -> bool:
        """Return whether more may follow directly behind a place."""
        return not self.is_final and end >= len(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakFinding:
    """A leak: a part of a text that may not leave.

    Attributes:
        start: Its first character.
        end: Behind its last character.
        mask: What stands in its place.
        latest_start: Up to where it may begin later, if what is before it belongs to another one.
        is_open: Whether it depends on what follows.
    """

    start: int
    end: int
    mask: str
    latest_start: int = -1
    is_open: bool = False


Rule = Callable[[Excerpt], Iterable[LeakFinding]]
"""Finds one kind of leak, in the order of their beginning; what has left may be among them."""


class Read(Protocol):
    """Reads a text in one way."""

    def __call__(self, text: str, *, is_final: bool) -> CleanText:
        """The text as it reads, as far as that is known."""
        ...


async def mask_or_reject(
    request: OutputGuardRequest,
    rules: Sequence[Rule],
    *,
    mode: LeakMode,
    reason: str,
    readings: Sequence[tuple[Read, Sequence[Rule]]] = (),
) -> GuardResult:
    """Let a text leave as it is or masked, or reject it for what is certainly a leak.

    A long text is looked at in a thread: one that was written to take long takes milliseconds for
    a thousand characters, in which the event loop would stand still and no time-out end it.

    The rules look in the text as its reader sees it; each other reading has rules of its own.
    """
    ways = [(show, rules), *readings]
    if len(request.text) > _LONG_CHARS:
        found = await asyncio.to_thread(_find_in_all, request, ways)
    else:
        found = _find_in_all(request, ways)
    if not found:
        return Allowed()
    if mode is LeakMode.REJECT and any(each.mask and not each.is_open for each in found):
        return Rejected(reason, RejectionCategory.SENSITIVE_DATA)
    return Allowed("".join(_mask(request.text, found)))


def _find_in_all(
    request: OutputGuardRequest, ways: Sequence[tuple[Read, Sequence[Rule]]]
) -> Sequence[LeakFinding]:
    """All that is found, where it is written; one finding for those that overlap."""
    text, released = request.text, min(request.released_chars, len(request.text))
    found: list[LeakFinding] = []
    for read, rules in ways:
        reading = read(text, is_final=request.is_final)
        begin = reading.place(released)
        excerpt = Excerpt(
            text=reading.text,
            begin=max(0, begin - _LOOK_BACK_CHARS),
            is_final=request.is_final,
            released=begin,
        )
        findings = [finding for rule in rules for finding in rule(excerpt)]
        for finding in _without_overlaps(excerpt, findings):
            start, end = reading.span(finding.start, finding.end)
            end = len(text) if finding.is_open else end
            found.append(replace(finding, start=max(start, released), end=end))
    for start, end in find_hidden(text):  # invisible characters that no text needs
        found.append(LeakFinding(start=max(start, released), end=end, mask=""))
    merged: list[LeakFinding] = []
    for finding in sorted(found, key=_place):
        if finding.start >= finding.end:
            continue
        if not merged or finding.start >= merged[-1].end:
            merged.append(finding)
        elif finding.end > merged[-1].end or finding.is_open:
            is_open = finding.is_open or merged[-1].is_open
            merged[-1] = replace(merged[-1], end=finding.end, is_open=is_open)
    return merged


def _without_overlaps(excerpt: Excerpt, findings: Iterable[LeakFinding]) -> Iterator[LeakFinding]:
    """From left to right; what begins inside of another one, or has left, is left out.

    Of a leak whose beginning has left, as by a turn before, the rest is found.

    A finding reaches to the end of its word, so that what follows never depends on what is masked.
    """
    floor = excerpt.released
    for finding in sorted(findings, key=_place):
        start = finding.start
        is_behind = start < floor <= finding.latest_start or start < excerpt.released < finding.end
        if is_behind or (start < floor and finding.is_open):
            start = floor  # an open one may reach further than the one that it begins in
        if start < floor or start == len(excerpt.text):
            continue
        end = len(excerpt.text)
        if not finding.is_open:
            end = max(finding.end, find_end(_REST_OF_WORD, excerpt.text, max(0, finding.end - 1)))
        floor = end
        is_open = finding.is_open or excerpt.is_open(end)
        yield LeakFinding(start=start, end=end, mask=finding.mask, is_open=is_open)


def _place(finding: LeakFinding) -> tuple[int, int]:
    return finding.start, -finding.end


def _mask(text: str, findings: Iterable[LeakFinding]) -> Iterator[str]:
    """The parts of a text, with masks that make no image or definition of Markdown with them."""
    shown = 0
    for finding in findings:
        start, end, mask = finding.start, finding.end, finding.mask
        if text[max(0, start - 1) : start] == "!" or text[end : end + 1] == ":":
            mask = mask.replace("[", "(").replace("]", ")")
        yield text[shown:start]
        yield mask
        shown = end
    yield text[shown:]


def find_end(run: re.Pattern[str], text: str, start: int) -> int:
    """Return the end of a run that begins at a place; the place itself if none does."""
    found = run.match(text, start)
    return found.end() if found else start
