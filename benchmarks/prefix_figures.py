"""Compares the requests of a session, for `benchmarks.prompt_prefix`."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from benchmarks.prefix_vendors import VendorForm

_CACHE_MARK = re.compile(rb',?"cache_control":\{[^{}]*\}')


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One line of the table.

    Attributes:
        size: Bytes of a request, on average.
        head: Of them, the share of tools and instructions.
        share: Average share of a request's bytes that the request before began with.
        requests: How many were compared with the one before.
        cuts: How many of them are cuts.
        kept: Of what stood before the previous question, the share that is left, on average over
            the other requests; 1 if there are none.
        least: The same, in the worst of them.
    """

    size: float
    head: float
    share: float
    requests: int
    cuts: int
    kept: float
    least: float


def figures_of(form: VendorForm, bodies: Sequence[bytes]) -> Figures:
    """Each request compared with the one before."""
    unmarked = list(map(remove_cache_marks, bodies))
    shares, kept, cuts = [], [], 0
    for before, now in pairwise(unmarked):
        common = count_common_bytes(before, now)
        shares.append(common / len(now))
        if _is_cut(_head(form, before), _head(form, now)):
            cuts += 1
        else:
            kept.append(min(1.0, common / _before_question(before)))
    sizes = list(map(len, unmarked))
    return Figures(
        size=fmean(sizes),
        head=fmean(_head_bytes(form, body) / len(body) for body in unmarked),
        share=fmean(shares),
        requests=len(shares),
        cuts=cuts,
        kept=fmean(kept or [1.0]),
        least=min(kept, default=1.0),
    )


def remove_cache_marks(body: bytes) -> bytes:
    """A body without what it says to the vendor's cache, which the prompt does not have."""
    return _CACHE_MARK.sub(b"", body)


def count_common_bytes(before: bytes, now: bytes) -> int:
    """How many bytes two bodies begin with alike."""
    low, high = 0, min(len(before), len(now))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == now[:middle] else (low, middle - 1)
    return low


def _is_cut(before: list[Any], now: list[Any]) -> bool:
    """Whether anything has changed; a history that was empty has not."""
    return before[:-1] != now[:-1] or before[-1] not in (None, now[-1])


def _head(form: VendorForm, body: bytes) -> list[Any]:
    """What a request begins with, the first message of history last."""
    fields = json.loads(body)
    messages = fields[form.messages]
    first = next((each for each in messages[:-1] if each.get("role") != "system"), None)
    system = [each for each in messages if each.get("role") == "system"]
    return [*(fields.get(name) for name in form.head), system, first]


def _head_bytes(form: VendorForm, body: bytes) -> int:
    fields = json.loads(body)
    own = form.instructions
    instructions = fields[form.messages][0] if own is None else fields[own]
    return len(json.dumps([fields["tools"], instructions], separators=(",", ":")))


def _before_question(body: bytes) -> int:
    """Where in a body the message of its question begins."""
    return body.rindex(b'{"role":"user"', 0, body.rindex(b"Question "))
