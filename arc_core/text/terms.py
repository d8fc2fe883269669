"""Splits texts into the terms by which they are compared: prompts, tools, documents."""

import re
import unicodedata
from collections.abc import Iterator

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_TERM = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SHORTEST_PLURAL = 4


def split_terms(text: str) -> list[str]:
    """Words in lower case and singular; Korean, Japanese and Chinese in pairs of characters.

    Pairs find a word inside a longer run, with whatever is attached to it: `날씨를` has `날씨`.
    Names come apart: `getWeather_now` is `get`, `weather` and `now`. Full-width
    letters, and Hangul in pieces as some systems write it, are what they stand for.
    """
    apart = _CAMEL_CASE.sub(" ", unicodedata.normalize("NFKC", text)).casefold()
    return [term for run in _TERM.findall(apart) for term in _terms_of_run(run)]


def _terms_of_run(run: str) -> Iterator[str]:
    if not re.match(f"[{_UNSPACED}]", run):
        is_plural = run.endswith("s") and not run.endswith("ss") and len(run) >= _SHORTEST_PLURAL
        yield run[:-1] if is_plural else run
    elif len(run) == 1:
        yield run
    else:
        yield from (run[at : at + 2] for at in range(len(run) - 1))
