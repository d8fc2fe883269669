"""The patterns of injections: concepts in a certain order, near to each other.

A pattern is concepts and, between two of them, how many other words may stand there. Its weight is
how much it tells; patterns near to each other count like independent pieces of evidence, see
`scoring`. The weights were fitted to the tuning half of the corpora that `docs/guards.md` names.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from math import log
from pathlib import Path

from arc_plugins.guards.injection_detection.marks import MarkedPattern

_DATA = Path(__file__).parent / "data"


def words_by_language() -> dict[str, dict[str, list[str]]]:
    """For each language its concepts with their words, from `data/words`."""
    return {file.stem: json.loads(file.read_bytes()) for file in _files("words")}


def weights_by_family() -> dict[str, dict[str, float]]:
    """For each family its patterns with their weights, from `data/patterns`."""
    return {file.stem: json.loads(file.read_bytes()) for file in _files("patterns")}


def everyday_words() -> list[str]:
    """English words that are not a sign of anything, and still known in a disguise."""
    words: list[str] = json.loads((_DATA / "everyday_words.json").read_bytes())
    return words


def everyday_concepts() -> list[str]:
    """Concepts that ordinary prompts are full of, those that are commonest first."""
    concepts: list[str] = json.loads((_DATA / "everyday_concepts.json").read_bytes())
    return concepts


def result_words() -> dict[str, list[str]]:
    """The concepts that are looked for in results of tools, with their words in all languages."""
    words: dict[str, list[str]] = json.loads((_DATA / "results" / "words.json").read_bytes())
    return words


def result_weights() -> tuple[float, dict[str, float]]:
    """Return the score of a result without signs, and the weight of each sign."""
    table = json.loads((_DATA / "results" / "weights.json").read_bytes())
    return table["bias"], table["signs"]


def dress_patterns() -> list[MarkedPattern]:
    """Return the patterns of the dress of instructions in results of tools."""
    return _patterns("dress")


def request_patterns() -> list[MarkedPattern]:
    """Return the patterns of plain requests in results of tools."""
    return _patterns("requests")


def _patterns(name: str) -> list[MarkedPattern]:
    table = json.loads((_DATA / "results" / f"{name}.json").read_bytes())
    return [MarkedPattern.read(row, table["parts"]) for row in table["patterns"]]


def _files(folder: str) -> list[Path]:
    return sorted((_DATA / folder).glob("*.json"))


class Family(StrEnum):
    """The aim of an injection; named in the log, never to the person who asked."""

    OVERRIDE = "override"
    EXTRACTION = "extraction"
    PERSONA = "persona"
    DELIMITER = "delimiter"
    AUTHORITY = "authority"
    EXFILTRATION = "exfiltration"
    COMPLIANCE = "compliance"
    INDIRECT = "indirect"
    CONTEST = "contest"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Concepts in their order.

    Attributes:
        family: What it is after.
        weight: Above 0, below 1.
        concepts: Keys of the language tables.
        gaps: For each concept but the first, how many words may stand between it and the one
            before.
    """

    family: Family
    weight: float
    concepts: tuple[str, ...]
    gaps: tuple[int, ...]

    @property
    def evidence(self) -> float:
        """The weight in a form that is added up: `1 - exp(-evidence)` is the weight again."""
        return -log(1 - self.weight)

    @classmethod
    def parse(cls, family: Family, weight: float, text: str) -> "Pattern":
        """Read `disregard 2 your 3 instructions`."""
        parts = text.split()
        return cls(family, weight, tuple(parts[::2]), tuple(map(int, parts[1::2])))


PATTERNS = tuple(
    Pattern.parse(Family(family), weight, text)
    for family, weights in weights_by_family().items()
    for text, weight in weights.items()
)
