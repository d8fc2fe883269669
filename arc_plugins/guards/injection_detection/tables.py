"""Reads what the guard looks for from the files in `data`; its `README.md` tells their form."""

import json
from pathlib import Path

from arc_plugins.guards.injection_detection.marks import MarkedPattern

__all__ = [
    "dress_patterns",
    "everyday_concepts",
    "everyday_words",
    "request_patterns",
    "result_weights",
    "result_words",
    "weights_by_family",
    "words_by_language",
]

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
    """What a result without signs scores, and how much each sign adds, as `results` reads them."""
    table = json.loads((_DATA / "results" / "weights.json").read_bytes())
    return table["bias"], table["signs"]


def dress_patterns() -> list[MarkedPattern]:
    """What instructions in results of tools are dressed in."""
    return _patterns("dress")


def request_patterns() -> list[MarkedPattern]:
    """What plain requests in results of tools ask for."""
    return _patterns("requests")


def _patterns(name: str) -> list[MarkedPattern]:
    table = json.loads((_DATA / "results" / f"{name}.json").read_bytes())
    return [MarkedPattern.read(row, table["parts"]) for row in table["patterns"]]


def _files(folder: str) -> list[Path]:
    return sorted((_DATA / folder).glob("*.json"))
