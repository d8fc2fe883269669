"""What is fuzzed, and what must not happen to it."""

import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from arc_core import ArcError

__all__ = ["SECRET", "FaultError", "LogWatch", "Target", "check_text"]

SECRET = "sk-secret-0123456789abcdef"
"""Stands in every target's settings as its key, and must not stand in anything that is shown."""

_EXCEPTION = re.compile(
    r"Traceback|NoneType|unhashable|not subscriptable|unexpected keyword"
    r"|object (?:has no|is not (?:sub|call|iter)|does not)"
    r"|[a-z]\.py\b|0x[0-9a-f]{6}|\b(?:Type|Key|Index|Attribute|Value|Recursion|Unicode\w*)Error\b"
)


class FaultError(AssertionError):
    """A property does not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is fuzzed.

    Attributes:
        samples: Well-formed input, each with its kind.
        attempt: Takes a kind and malformed input; returns whether it was accepted.
        refusals: The exceptions by which it may refuse.
    """

    samples: Sequence[tuple[str, bytes]]
    attempt: Callable[[str, bytes], Awaitable[bool]]
    refusals: tuple[type[Exception], ...] = ()


class LogWatch(logging.Handler):
    """Keeps what is logged of exceptions that are not errors of Arc's, and of the secret."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.problems: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Look at a record."""
        text = self.format(record)
        error = record.exc_info[1] if record.exc_info else None
        if SECRET in text or (error is not None and not isinstance(error, ArcError)):
            self.problems.append(text)

    def check(self) -> None:
        """Check what was logged since the last time.

        Raises:
            FaultError: An exception or the secret was logged.
        """
        problems, self.problems = self.problems, []
        if problems:
            raise FaultError(f"logged: {problems[0].splitlines()[-1]}\n{problems[0]}")


def check_text(text: str) -> None:
    """Check what people or models are shown.

    Raises:
        FaultError: It says nothing, tells the secret, or reads like an exception of Python's.
    """
    if not text.strip():
        raise FaultError("a failure without a message")
    if SECRET in text:
        raise FaultError(f"the secret is shown: {text[:300]}")
    if found := _EXCEPTION.search(text):
        raise FaultError(f"the text of an exception is shown ({found[0]}): {text[:500]}")
