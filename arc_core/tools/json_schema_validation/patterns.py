"""The cost of a check, and patterns matched by RE2, whose time is linear in the text.

The cost is counted instead of timed, so that a check ends the same everywhere.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import re2

_MAX_PATTERN_CHARS = 5_000
_MAX_COMPILED_BYTES = 2 * 1024 * 1024
_COMPILED = 128
_STATES_AND_BYTES_PER_STEP = 100  # RE2 takes at most about 27 ns for a state and a byte

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)

_left: ContextVar[list[int]] = ContextVar("arc_json_schema_work")


class TooMuchWorkError(Exception):
    """A check was given up, since it would have taken more work than it may."""


@contextmanager
def bounded_work(steps: int) -> Iterator[None]:
    """Bound what is spent inside; a step takes microseconds, as one keyword does for one value."""
    token = _left.set([steps])
    try:
        yield
    finally:
        _left.reset(token)


def spend(steps: int) -> None:
    """Take from what is left; a `TooMuchWorkError` says that less is left."""
    left = _left.get()
    left[0] -= steps
    if left[0] < 0:
        raise TooMuchWorkError


def flaw_of_pattern(pattern: str) -> str | None:
    """Why a pattern cannot be matched in linear time, as a clause; None if it can."""
    try:
        _compile(pattern)
    except ValueError as error:
        return str(error)
    return None


def is_found(pattern: str, text: str) -> bool:
    """Say whether the pattern matches anywhere in the text.

    Raises:
        ValueError: The pattern has a flaw.
        TooMuchWorkError: The text is too long for it.
    """
    compiled = _compile(pattern)
    data = text.encode(errors="replace")  # a half of a surrogate pair has no bytes of its own
    spend(1 + compiled.programsize * len(data) // _STATES_AND_BYTES_PER_STEP)
    return compiled.search(data) is not None


def drop_unmatchable(schema: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A schema without the patterns that have a flaw, and these patterns."""
    dropped: list[str] = []
    return _without(dropped, schema), dropped


def _without(dropped: list[str], value: Any) -> Any:
    if isinstance(value, list):
        return [_without(dropped, each) for each in value]
    if not isinstance(value, Mapping):
        return value
    kept = dict(value)
    if isinstance(pattern := kept.get("pattern"), str) and flaw_of_pattern(pattern) is not None:
        dropped.append(kept.pop("pattern"))
    if isinstance(by_name := kept.get("patternProperties"), Mapping):
        flawed = [pattern for pattern in by_name if flaw_of_pattern(pattern) is not None]
        if flawed:
            dropped += flawed
            kept["patternProperties"] = {p: by_name[p] for p in by_name if p not in flawed}
            kept.pop("additionalProperties", None)
            kept.pop("unevaluatedProperties", None)
    return {key: _without(dropped, each) for key, each in kept.items()}


@lru_cache(maxsize=_COMPILED)
def _compile(pattern: str) -> re2._Regexp:
    if len(pattern) > _MAX_PATTERN_CHARS:
        raise ValueError(f"it has more than {_MAX_PATTERN_CHARS} characters")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_COMPILED_BYTES
    try:
        return re2.compile(_ESCAPE.sub(_translate, pattern).encode(), options)
    except (re2.error, UnicodeEncodeError) as error:
        raise ValueError(
            "it is not a regular expression that can be matched in linear time, which allows "
            "neither look-around nor back-references"
        ) from error


def _translate(escape: re.Match[str]) -> str:
    """JSON Schema writes a character's number as JavaScript does, RE2 as Perl does."""
    return f"\\x{{{escape[1]}}}" if escape[1] is not None else escape[0]
