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
from typing import Any

_DATA = Path(__file__).parent / "data"


def read_table(name: str) -> Any:
    """The table in the file of the name below `data`.

    `everyday_words` are English, no sign of anything, and still known in a disguise;
    `everyday_concepts` those that ordinary prompts are full of, the commonest first. Of results of
    tools there are `results/words`, by concept, and `results/weights`, the score of a result
    without signs and the weight of each sign.
    """
    return json.loads((_DATA / f"{name}.json").read_bytes())


def read_tables(folder: str) -> dict[str, Any]:
    """The tables of a folder by name: `words`, concepts by language, and `patterns`, by family."""
    files = sorted((_DATA / folder).glob("*.json"))
    return {file.stem: read_table(f"{folder}/{file.stem}") for file in files}


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
    for family, weights in read_tables("patterns").items()
    for text, weight in weights.items()
)
