"""Facts in a prompt that can be read without understanding it, in English or Korean."""

import re
from collections.abc import Iterator
from typing import Any

from arc_plugins.models.offline.words import WORDS, korean_nouns, stem_words, words_meant

_DIGITS = r"(?<!\d)(?:\d{1,3}(?:,\d{3})++(?!\d)|\d++)(?:\.\d++)?"
_SPOKEN = [
    (re.compile(pattern.replace("<number>", f"({_DIGITS})"), re.IGNORECASE), written)
    for pattern, written in WORDS["spoken"].items()
]
_DATE_TIME_OR_NAME = re.compile(
    r"\d{4}-\d\d?-\d\d?|\d\d?/\d\d?/\d{2,4}|\d\d?:\d\d(?::\d\d)?|[A-Za-z]{1,20}-\d++"
)
_CALL = r"\b[a-z]{2,5}\d{0,2}\([\d\s.,+*/%-]{1,80}\)"
_OPERAND = rf"(?:{_CALL}|(?:\(\s?){{0,5}}[-+]?{_DIGITS}(?:\s?%)?(?:\s?\)){{0,5}})"
_OPERATOR = r"(?:(?<=%)\s?of\s|\s?(?:\*\*|//|[-+*/%^×÷])\s?)"
_EXPRESSION = re.compile(rf"{_OPERAND}(?:{_OPERATOR}{_OPERAND})+|{_CALL}")
_FORMS = {kind: re.compile(pattern) for kind, pattern in WORDS["forms"].items()}
_NUMBER = re.compile(rf"(?<![\w.,-])-?{_DIGITS}")
_MAX_DIGITS = 18
_MAX_PLACES = 10
_MARKS = "\"“”「」『』«»`'‘’"
_QUOTED = re.compile(
    r"[\"“「『«`][^\"”」』»`]{1,500}[\"”」』»`]"
    r"|(?<!\w)['‘][^'’]{1,500}['’](?![^\W가-힣])"
)
_WORD_PATTERN = r"[A-ZÀ-Þ](?:(?![가-힣])[\w'&/+-])*"
_NAME = re.compile(
    rf"(?:(?:St|Mt|Ft)\. )?{_WORD_PATTERN}(?: (?:(?:of|de|da|del) |d')?{_WORD_PATTERN}){{0,4}}"
)
_AFTER_A_PLACE = "|".join(WORDS["after_a_place"].split())
_NO_PLACE = "|".join([*WORDS["empty"].split(), *WORDS["no_places"].split(), _AFTER_A_PLACE])
_LOWER_CASE_WORD = rf"(?!(?:{_NO_PLACE})s?\b)[^\W\dA-Z][\w'/+-]{{0,40}}+"
_LOWER_CASE_PATTERN = rf"{_LOWER_CASE_WORD}(?: {_LOWER_CASE_WORD}){{0,3}}"
_BEFORE_PLACES = re.compile(r"\b(?:[Ii]n|near|at(?! [a-z])|(?:for|of)(?= [\"“'‘])) (?:the )?")
_PLACE = re.compile(rf"{_QUOTED.pattern}|{_NAME.pattern}|{_LOWER_CASE_PATTERN}")
_BETWEEN_PLACES = re.compile(r",? (?:and|or) |, ")
_AFTER_PLACES = re.compile(rf"$|[.?!,]| (?:and|or|{_AFTER_A_PLACE})\b")


class Question:
    """A prompt, read once.

    Attributes:
        text: As it was asked.
        found: By kind, in the order of the text: `expression`, `number`, `integer`, `quoted`,
            `name`, `place`, `email`, `url`, `date`. Places are what something is `in`, `near` or
            `at`, known or not, or else the names.
        words: Stems that say something, for matching tools.
    """

    def __init__(self, text: str) -> None:
        names = list(dict.fromkeys(_names_in(text)))
        expressions = _expressions_in(text)
        digits = (each.replace(",", "") for each in _NUMBER.findall(text))
        numbers = [
            float(each) if "." in each else int(each) for each in digits if len(each) <= _MAX_DIGITS
        ]
        self.text = text
        self.found: dict[str, list[Any]] = {
            "expression": expressions,
            "number": numbers,
            "integer": [number for number in numbers if isinstance(number, int)],
            "quoted": [quoted[1:-1] for quoted in _QUOTED.findall(text)],
            "name": names,
            "place": list(dict.fromkeys(_places_in(text))) or names,
            **{kind: form.findall(text) for kind, form in _FORMS.items()},
        }
        signs = words_meant("operations", " ".join(expressions))
        self.words = stem_words(text) | words_meant("concepts", text) | signs


def _names_in(text: str) -> Iterator[str]:
    outside = _QUOTED.sub(_without_speech, text)
    for name in _NAME.findall(outside):
        words = name.split()
        while words and not stem_words(words[0]):
            del words[0]
        if words:
            yield " ".join(words).removesuffix("'s")
    yield from korean_nouns(outside)


def _without_speech(quoted: re.Match[str]) -> str:
    """A quotation if it is a name: a time zone, or something with a Korean particle."""
    after = quoted.string[quoted.end() : quoted.end() + 1]
    return quoted[0][1:-1] if "/" in quoted[0] or "가" <= after <= "힣" else " "


def _places_in(text: str) -> Iterator[str]:
    """An unknown place is one, too: if it were left out, the answer would be for another."""
    for start in _BEFORE_PLACES.finditer(text):
        place = _PLACE.match(text, start.end())
        for _ in range(_MAX_PLACES):
            if not place:
                break
            yield place[0].strip(_MARKS)
            between = _BETWEEN_PLACES.match(text, place.end())
            place = _PLACE.match(text, between.end()) if between else None
            if place and place[0].islower() and not _AFTER_PLACES.match(text, place.end()):
                break  # the next thing to do, as in `in boston and send it`


def _expressions_in(text: str) -> list[str]:
    """The expressions of a text in their order; words for operators become signs."""
    text = _DATE_TIME_OR_NAME.sub(" ", text)
    for spoken, written in _SPOKEN:
        text = spoken.sub(written, text)
    return [_balance(match[0].strip()) for match in _EXPRESSION.finditer(text)]


def _balance(expression: str) -> str:
    """Without the parentheses around the words before or behind it."""
    while expression.count("(") > expression.count(")") and expression.startswith("("):
        expression = expression[1:].lstrip()
    while expression.count(")") > expression.count("(") and expression.endswith(")"):
        expression = expression[:-1].rstrip()
    return expression
