"""Words as they are compared: without endings, particles, and what says nothing."""

import re
import tomllib
from importlib.resources import files

from arc_core.text.terms import split_terms

WORDS = tomllib.loads((files("arc_plugins.models.offline") / "data/words.toml").read_text("utf-8"))
HANGUL = re.compile(r"[가-힣]+")
"""The answers in Korean."""

_STEM_CHARS = 7
_EMPTY = frozenset(split_terms(WORDS["empty"]))
_PARTICLE = re.compile(rf"(?<=.)(?:{'|'.join(WORDS['particles'].split())})$")
_PATTERNS = {
    table: [(re.compile(pattern, re.IGNORECASE), words) for pattern, words in WORDS[table].items()]
    for table in ("concepts", "operations")
}
_EMPTY_STARTS = tuple(WORDS["empty_korean_starts"].split())


def stem_words(text: str) -> frozenset[str]:
    """The stems of the words that say something; `getWeather_forecasts`: `weather`, `forecas`."""
    return frozenset(term[:_STEM_CHARS] for term in split_terms(text) if term not in _EMPTY)


def words_meant(table: str, text: str) -> frozenset[str]:
    """Return the tools' words for a text, by the patterns of `concepts` or `operations`."""
    found = (words for pattern, words in _PATTERNS[table] if pattern.search(text))
    return stem_words(" ".join(found))


def korean_nouns(text: str) -> list[str]:
    """The nouns among a text's Korean words, without their particles."""
    for pattern, _ in _PATTERNS["concepts"]:
        text = pattern.sub(" ", text)
    words = (word for word in HANGUL.findall(text) if not word.startswith(_EMPTY_STARTS))
    return [noun for word in words if len(noun := _PARTICLE.sub("", word)) > 1]
