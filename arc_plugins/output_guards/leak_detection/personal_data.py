"""Keeps personal data out of what a model says.

Switched on by `output.pii`. It knows what has a form: mail addresses, phone numbers (with a country
code, or as written in Korea and the United States), payment cards, IBANs and Korean resident
numbers, with their check digits. Names and postal addresses leave. Needs the extra `guards`. Costs
microseconds for a piece of a stream without digits, and holds back the last word or number.
"""

import re
from collections.abc import Iterator
from string import ascii_letters, digits

from arc_core import GuardResult, OutputGuard, OutputGuardRequest
from arc_plugins.output_guards.leak_detection.numbers import (
    begin_of_number,
    find_accounts,
    find_numbers,
)
from arc_plugins.output_guards.leak_detection.scanning import (
    Excerpt,
    LeakFinding,
    find_end,
    mask_or_reject,
)
from arc_plugins.output_guards.leak_detection.settings import OutputSettings
from arc_plugins.output_guards.leak_detection.tokens import places

_MAX_LOCAL_CHARS = 64
_MAX_UNFINISHED_CHARS = 80
# Letters of scripts with words; of others a whole sentence would be held back.
_LETTERS = "".join(chr(code) for code in range(0xC0, 0x530) if chr(code).isalpha())
_LOCAL = f"{ascii_letters}{digits}._%+'-{_LETTERS}"
_DOMAIN = re.compile(r"[\w.-]{0,253}")
_DOMAIN_ENDS = (  # in plain letters first, since words of Korean go on behind it without a blank
    re.compile(r"[A-Za-z0-9.-]{0,251}\.[A-Za-z]{2,24}"),
    re.compile(r"[\w.-]{0,251}\.[^\W\d_]{2,24}"),
)
_TOP = re.compile(r"\.[^\W\d_]{2,24}\Z")
_NOT_A_DOMAIN = frozenset({
    "png", "jpg", "jpeg", "gif", "svg", "webp", "js", "ts", "css", "json", "yml", "yaml", "toml",
    "service", "socket", "slice", "timer", "target", "mount", "scope",
})  # fmt: skip
_REMOTE = ":"
_REASON = "The answer was stopped because it contained personal data."


class PiiMaskingOutputGuard(OutputGuard):
    """Masks personal data as `[email]`, `[phone]` and the like, or rejects the answer."""

    order = 20
    pure = True
    window_chars = 4

    def __init__(self, *, settings: OutputSettings) -> None:
        self._mode = settings.pii

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        """Look for personal data in what has not left yet."""
        rules = (_find_addresses, find_accounts, find_numbers, _find_unfinished)
        return await mask_or_reject(request, rules, mode=self._mode, reason=_REASON)


def _find_unfinished(excerpt: Excerpt) -> Iterator[LeakFinding]:
    """The end of a text that goes on, if it may become an address or a number."""
    text = excerpt.text
    if excerpt.is_final:
        return
    tail = text[-_MAX_UNFINISHED_CHARS:]
    start = len(text) - len(tail) + min(begin_of_number(tail), len(tail.rstrip(_LOCAL)))
    if start < len(text):
        yield LeakFinding(start=start, end=len(text), mask="[…]", is_open=True)


def _find_addresses(excerpt: Excerpt) -> Iterator[LeakFinding]:
    """Mail addresses, but for `git@host:path`."""
    text = excerpt.text
    for place in places(text, "@", since=excerpt.begin):
        before = text[max(0, place - _MAX_LOCAL_CHARS) : place]
        start = place - len(before) + len(before.rstrip(_LOCAL))
        end = find_end(_DOMAIN, text, place + 1)
        if start == place or text[max(0, start - 2) : start] == "//":
            continue
        is_open = excerpt.is_open(end)
        if not is_open:
            found = (each.match(text, place + 1, end) for each in _DOMAIN_ENDS)
            domain = next((each for each in found if each), None)
            if domain is None:
                continue
            end = domain.end()
            top = _TOP.search(domain[0])
            if top is None or ".." in domain[0] or top[0][1:].lower() in _NOT_A_DOMAIN:
                continue
            if text[end : end + 1] == _REMOTE and text[end + 1 : end + 2].strip():
                continue
        yield LeakFinding(
            start=start, end=end, mask="[email]", latest_start=place - 1, is_open=is_open
        )
