"""Facts in a prompt that can be read without understanding it, in English or Korean."""

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from arc_core.text.terms import split_terms

WORDS = tomllib.loads((files("arc_plugins.models.offline") / "data/words.toml").read_text("utf-8"))
HANGUL = re.compile(r"[가-힣]+")

_STEM_CHARS = 7
_MAX_DIGITS = 18
_EMPTY = frozenset(split_terms(WORDS["empty"]))
_NO_PLACES = frozenset(term[:_STEM_CHARS] for term in split_terms(WORDS["no_places"]))
_EMPTY_STARTS = tuple(WORDS["empty_korean_starts"].split())
_PARTICLE = re.compile(rf"(?<=.)(?:{'|'.join(WORDS['particles'].split())})$")
_CONCEPTS = [(re.compile(each, re.IGNORECASE), words) for each, words in WORDS["concepts"].items()]
_DIGITS = r"(?<!\d)(?:\d{1,3}(?:,\d{3})++(?!\d)|\d++)(?:\.\d++)?"
_SPOKEN = [
    (re.compile(pattern.replace("<number>", f"({_DIGITS})"), re.IGNORECASE), written)
    for pattern, written in WORDS["spoken"].items()
]
_DATE_TIME_OR_NAME = re.compile(
    r"\d{4}-\d\d?-\d\d?|\d\d?/\d\d?/\d{2,4}|\d\d?:\d\d(?::\d\d)?|[A-Za-z]{1,20}-\d++"
)
_OPERAND = rf"(?:\(\s?){{0,5}}[-+]?{_DIGITS}(?:\s?%)?(?:\s?\)){{0,5}}"
_OPERATOR = r"(?:(?<=%)\s?of\s|\s?(?:\*\*|//|[-+*/%^×÷])\s?)"
_EXPRESSION = re.compile(rf"{_OPERAND}(?:{_OPERATOR}{_OPERAND})+")
_NUMBER = re.compile(rf"(?<![\w.,-])-?{_DIGITS}")
_MARKS = "\"“”「」'‘’"
_QUOTED = re.compile(r"[\"“「][^\"”」]{1,500}[\"”」]|(?<!\w)['‘][^'’]{1,500}['’](?![^\W가-힣])")
_WORD_PATTERN = r"[A-ZÀ-Þ](?:(?![가-힣])[\w'&/+-])*"
_NAME = re.compile(rf"{_WORD_PATTERN}(?: (?:(?:of|de) )?{_WORD_PATTERN}){{0,4}}")
_BEFORE_A_PLACE = re.compile(r"(?:^|.*\s)(?:in|near|at) (?:the )?", re.IGNORECASE)
_CLAUSE_END = re.compile(
    rf"[,?!;]|(?<=\w\w\w)\.(?!\w)|(?<=\s)(?:and|or|{'|'.join(WORDS['after_a_place'].split())})\b"
)


class Question:
    """A prompt, read once.

    Attributes:
        text: What a tool gets that takes a text: the first quotation, else the whole prompt.
        found: By kind, in the order of the text: `expression`, `number`, `integer`, `place`,
            `name`. Places are what something is `in`, `near` or `at`, or else the names.
        words: Stems that say something, for matching tools.
    """

    def __init__(self, text: str) -> None:
        expressions = list(_find_expressions(text))
        digits = (each.replace(",", "") for each in _NUMBER.findall(text))
        numbers = [
            float(each) if "." in each else int(each) for each in digits if len(each) <= _MAX_DIGITS
        ]
        quoted = [each[1:-1] for each in _QUOTED.findall(text)]
        names = list(dict.fromkeys([*_find_names(_QUOTED.sub(" ", text))] or quoted))
        self.text = quoted[0] if quoted else text
        self.found: dict[str, list[Any]] = {
            "expression": expressions,
            "number": numbers,
            "integer": [number for number in numbers if isinstance(number, int)],
            "place": list(dict.fromkeys(_find_places(text))) or names,
            "name": names,
        }
        meant = [words for pattern, words in _CONCEPTS if pattern.search(text)]
        signs = WORDS["operations"].items()
        meant += [words for sign, words in signs if any(sign in each for each in expressions)]
        self.words = stem_words(" ".join([text, *meant]))


def stem_words(text: str) -> frozenset[str]:
    """The stems of the words that say something; `getWeather_forecasts`: `weather`, `forecas`."""
    return frozenset(term[:_STEM_CHARS] for term in split_terms(text) if term not in _EMPTY)


def _find_names(text: str) -> Iterator[str]:
    """Capitalised words, and Korean nouns without their particles."""
    for name in _NAME.findall(text):
        first, _, rest = name.partition(" ")
        if name := name if stem_words(first) else rest:
            yield name.removesuffix("'s")
    for pattern, _ in _CONCEPTS:
        text = pattern.sub(" ", text)
    for word in HANGUL.findall(text):
        noun = _PARTICLE.sub("", word)
        if len(noun) > 1 and not word.startswith(_EMPTY_STARTS):
            yield noun


def _find_places(text: str) -> Iterator[str]:
    """An unknown place is one, too: if it were left out, the answer would be for another."""
    goes_on = False
    for clause in filter(str.strip, _CLAUSE_END.split(text)):
        before = _BEFORE_A_PLACE.match(clause)
        place = clause[before.end() if before else 0 :].strip().strip(_MARKS)
        ends = [place.partition(" ")[0], place.rpartition(" ")[2]]
        is_name = place.count(" ") < 4 and all(map(stem_words, ends)) and not ends[0][0].isdigit()
        goes_on = (goes_on or before is not None) and is_name
        goes_on = goes_on and not stem_words(ends[0]) <= _NO_PLACES
        if goes_on:
            yield place


def _find_expressions(text: str) -> Iterator[str]:
    """The expressions of a text in their order; words for operators become signs."""
    text = _DATE_TIME_OR_NAME.sub(" ", text)
    for spoken, written in _SPOKEN:
        text = spoken.sub(written, text)
    for found in _EXPRESSION.findall(text):
        excess = found.count("(") - found.count(")")  # parentheses around the words beside it
        yield found.strip()[max(excess, 0) : len(found.strip()) + min(excess, 0)].strip()
