"""What can be read off a prompt without understanding it."""

import re
from dataclasses import dataclass
from functools import cache
from zoneinfo import available_timezones

from arc_plugins.models.offline.expressions import arithmetic_in
from arc_plugins.models.offline.words import content_words, has_hangul, korean_nouns, words_of

__all__ = ["Question", "zone_named"]

_MAX_DIGITS = 18
_QUOTED = re.compile(
    r"[\"“「『«`]([^\"”」』»`]{1,500})[\"”」』»`]|(?<!\w)['‘]([^'’]{1,500})['’](?!\w)"
)
_NUMBER = re.compile(r"(?<![\w.,-])-?(?:\d{1,3}(?:,\d{3})++(?!\d)|\d++)(?:\.\d++)?")
_NAME_PATTERN = r"[A-ZÀ-Þ][\w'&-]*(?: (?:(?:of|de|da|del) )?[A-ZÀ-Þ][\w'&-]*){0,4}"
_NAME = re.compile(_NAME_PATTERN)
_LOCATED = re.compile(
    rf"\b(?:in|at|near) ({_NAME_PATTERN}(?:,? (?:(?:and|or) )?{_NAME_PATTERN}){{0,9}})"
)
_LOWER_CASE_PLACE = re.compile(r"\b(?:in|at|for|near|and) ([a-z]+(?: [a-z]+){0,2})")
_OPERATION_WORDS = {
    "+": "add sum plus addition",
    "-": "subtract minus difference",
    "*": "multiply product",
    "/": "divide quotient ratio",
    "%": "percent percentage",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt, read once.

    Attributes:
        text: As it was asked.
        words: Stems that say something, for matching tools.
        expressions: Arithmetic, in the order of the text.
        numbers: In the order of the text, without grouping commas.
        quoted: What stands between quotation marks.
        names: Capitalised words and Korean nouns, places among them.
    """

    text: str
    words: frozenset[str]
    expressions: tuple[str, ...]
    numbers: tuple[str, ...]
    quoted: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> "Question":
        """Read a prompt, in English or Korean."""
        expressions = arithmetic_in(text)
        return cls(
            text=text,
            words=content_words(text) | _words_for(expressions),
            expressions=expressions,
            numbers=_numbers_in(text),
            quoted=tuple(one or other for one, other in _QUOTED.findall(text)),
            names=_names_in(_QUOTED.sub(" ", text)),
        )

    @property
    def is_korean(self) -> bool:
        """Whether the answer should be in Korean."""
        return has_hangul(self.text)

    @property
    def places(self) -> tuple[str, ...]:
        """The names that the question is `in` or `at`, or all names where it is nowhere."""
        located = " ".join(_LOCATED.findall(self.text))
        return tuple(name for name in self.names if name in located) or self.names


def zone_named(place: str) -> str | None:
    """The IANA time zone that is named after a place: `Asia/Seoul` for Seoul."""
    return _zones_by_city().get(place.casefold().replace(" ", "_"))


@cache
def _zones_by_city() -> dict[str, str]:
    zones = sorted(zone for zone in available_timezones() if "/" in zone)
    return {zone.rpartition("/")[2].casefold(): zone for zone in zones} | {"utc": "UTC"}


def _words_for(expressions: tuple[str, ...]) -> frozenset[str]:
    if not expressions:
        return frozenset()
    signs = [words for sign, words in _OPERATION_WORDS.items() if sign in "".join(expressions)]
    return words_of(" ".join(["calculate arithmetic expression math", *signs]))


def _numbers_in(text: str) -> tuple[str, ...]:
    numbers = (number.replace(",", "") for number in _NUMBER.findall(text))
    return tuple(number for number in numbers if len(number) <= _MAX_DIGITS)


def _names_in(text: str) -> tuple[str, ...]:
    capitalised = [_without_empty_start(name) for name in _NAME.findall(text)]
    names = [name for name in [*capitalised, *korean_nouns(text)] if name]
    return tuple(dict.fromkeys(names)) or _cities_in(text)


def _cities_in(text: str) -> tuple[str, ...]:
    """Well-known cities that were written without capitals."""
    phrases = [match.split() for match in _LOWER_CASE_PLACE.findall(text)]
    candidates = [[" ".join(words[:count]) for count in (3, 2, 1)] for words in phrases]
    cities = (next(filter(zone_named, longest_first), "") for longest_first in candidates)
    return tuple(dict.fromkeys(city for city in cities if city))


def _without_empty_start(name: str) -> str:
    words = name.split()
    while words and not words_of(words[0]):
        words = words[1:]
    return " ".join(words).removesuffix("'s")
