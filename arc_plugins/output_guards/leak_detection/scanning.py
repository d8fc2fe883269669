"""Replaces what rules find in a text that may still go on.

Every rule decides by what stands close to a finding, and a finding that touches the end of a text
that goes on is open: it covers all to the end until more is known. So what leaves is the same,
however the text was split.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from arc_core import Allowed, GuardResult, OutputGuardRequest, Rejected, RejectionCategory
from arc_plugins.output_guards.leak_detection.settings import LeakMode

__all__ = ["Excerpt", "Finding", "Rule", "decide"]

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
        """Whether more may follow directly behind a place."""
        return not self.is_final and end >= len(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What may not leave.

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


class Rule(Protocol):
    """Finds one kind of leak."""

    def __call__(self, excerpt: Excerpt) -> Iterable[Finding]:
        """Findings in the order of their beginning; what has left may be among them."""
        ...


async def decide(
    request: OutputGuardRequest, rules: Sequence[Rule], *, mode: LeakMode, reason: str
) -> GuardResult:
    """Let a text leave as it is or masked, or reject it for what is certainly a leak.

    A long text is looked at in a thread: one that was written to take long takes milliseconds for
    a thousand characters, in which the event loop would stand still and no time-out end it.

    Args:
        request: The text.
        rules: What to look for.
        mode: What happens to a leak.
        reason: For a rejection.
    """
    if len(request.text) > _LONG_CHARS:
        return await asyncio.to_thread(_decide, request, rules, mode=mode, reason=reason)
    return _decide(request, rules, mode=mode, reason=reason)


def _decide(
    request: OutputGuardRequest, rules: Sequence[Rule], *, mode: LeakMode, reason: str
) -> GuardResult:
    text = request.text
    released = min(request.released_chars, len(text))
    excerpt = Excerpt(
        text=text,
        begin=max(0, released - _LOOK_BACK_CHARS),
        is_final=request.is_final,
        released=released,
    )
    findings = [finding for rule in rules for finding in rule(excerpt)]
    if not findings:
        return Allowed()
    findings = list(_without_overlaps(excerpt, findings))
    if mode is LeakMode.REJECT and any(not finding.is_open for finding in findings):
        return Rejected(reason, RejectionCategory.SENSITIVE_DATA)
    return Allowed("".join(_mask(text, findings))) if findings else Allowed()


def _without_overlaps(excerpt: Excerpt, findings: Iterable[Finding]) -> Iterator[Finding]:
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
        end = len(excerpt.text) if finding.is_open else _end_of_word(excerpt.text, finding.end)
        floor = end
        is_open = finding.is_open or excerpt.is_open(end)
        yield Finding(start=start, end=end, mask=finding.mask, is_open=is_open)


def _place(finding: Finding) -> tuple[int, int]:
    return finding.start, -finding.end


def _end_of_word(text: str, end: int) -> int:
    rest = _REST_OF_WORD.match(text, max(0, end - 1))
    return max(end, rest.end()) if rest else end


def _mask(text: str, findings: Iterable[Finding]) -> Iterator[str]:
    shown = 0
    for finding in findings:
        yield text[shown : finding.start]
        yield finding.mask
        shown = finding.end
    yield text[shown:]
