"""Fits the weights of the guard of tool results: `python -m benchmarks.fit_injection_results`.

Needs scikit-learn, which is not installed with Arc: `python -m pip install scikit-learn`. Learns
from the texts in `tests/corpora/injection`, but for those that are held out, and from files that
are ordinary for certain: `--ordinary FOLDER …` reads all texts in folders, such as the libraries
that are installed. First it tells what a model knows of texts that it has not seen, by leaving out
a third of them at a time; then it writes the weights that are learnt from all.
"""

import argparse
import importlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from pathlib import Path
from typing import Any

from arc_plugins.guards.injection_detection import patterns
from arc_plugins.guards.injection_detection.results import (
    WINDOWS,
    ResultReader,
    get_share,
    sign_finder,
)
from arc_plugins.guards.injection_detection.signs import NO_LETTER, SignFinder, split_runs
from benchmarks.injection_guard import corpus, tool_results

__all__ = ["main"]

WEIGHTS = Path(patterns.__file__).parent / "data" / "results" / "weights.json"
SUFFIXES = {".py", ".md", ".txt", ".rst", ".json", ".html"}
PARTS = 3
MOST_ORDINARY = 12
"""How many windows of an ordinary text are learnt from, once it is known which look worst."""
STEP = 5
"""Every how many words a window begins that is learnt from."""
_READER = ResultReader(0, {})
STRENGTH = 20.0
"""How little the weights are held back; the inverse of scikit-learn's regularisation."""
FEWEST_TEXTS = 3
"""In how many texts a sign must be, so that it is learnt."""
WITHHELD = {"ordinary": 0.02, "files": 0.005}
"""The share of ordinary results, and of files, that may be withheld."""


@dataclass(frozen=True)
class Example:
    """A text to learn from.

    Attributes:
        text: What a tool has returned, or a part of it.
        is_injected: What it is.
        source: Where it is from.
        weight: How much it counts.
    """

    text: str
    is_injected: bool
    source: str
    weight: float

    @cached_property
    def windows(self) -> list[Counter[str]]:
        """How often each sign is in each of its windows, of which every fifth is enough."""
        return [window for piece in _READER.split_pieces(self.text) for window in _windows(piece)]


def find_signs(finder: SignFinder, text: str) -> list[list[str]]:
    """The signs of each word of a text, or of each letter where that counts, in their order."""
    words = finder.split(text)
    signs: list[list[str]] = []
    ends: list[int] = []
    for run in split_runs(words):
        ends += [len(signs) + end - 1 for end in run.ends]
        if run.letters is None:
            signs += map(_sign_word, [run.before, *run.stems], run.stems, run.words)
        else:
            signs += (_sign_letter(run.letters, at) for at in range(2, len(run.letters)))
    for at, found in finder.find_concepts(words):
        signs[ends[at]] += found
    return signs


def _sign_word(before: str, stem: str, word: str) -> list[str]:
    signs = [word, f"{before} {stem}"]
    return signs if stem == word else [*signs, f"{stem}*"]


def _sign_letter(row: str, at: int) -> list[str]:
    """The signs of a letter with the two before it."""
    known = row[at - 2 : at + 1].lstrip(NO_LETTER)
    return [known[begin:] for begin in range(len(known))]


def _windows(piece: str) -> Iterator[Counter[str]]:
    signs = find_signs(sign_finder(), piece)
    for size in WINDOWS:
        for begin in range(max(1, len(signs) - size + 1)):
            end = min(len(signs), begin + size)
            if begin % STEP == 0 or end == len(signs):
                yield Counter(sign for each in signs[begin:end] for sign in each)


def examples() -> Iterator[Example]:
    """The texts in the repository; prompts count less."""
    for kind, weight in (("injected", 4.0), ("unusual", 1.0), ("ordinary", 1.0), ("hard", 0.2)):
        for each in tool_results(kind):
            yield Example(each["text"], kind in ("injected", "unusual"), kind, weight)
    for prompt in corpus("tuning"):
        source, weight = ("attacks", 0.3) if prompt.is_attack else ("prompts", 0.5)
        yield Example(prompt.text, prompt.is_attack, source, weight)


def files(folders: Iterable[Path], *, most_chars: int) -> Iterator[Example]:
    """The beginnings of the texts in folders, in a random order."""
    found = sorted(
        file for folder in folders for file in folder.rglob("*") if file.suffix in SUFFIXES
    )
    random.Random(7).shuffle(found)
    chars = 0
    for file in found:
        text = file.read_text(encoding="utf-8", errors="replace")[:20_000]
        if "injection" in str(file) or len(text) < 200:
            continue
        yield Example(text, is_injected=False, source="files", weight=1.5)
        if (chars := chars + len(text)) > most_chars:
            return


class Model:
    """A logistic regression over the signs of windows."""

    def __init__(self, learnt_from: Sequence[Example]) -> None:
        counts = Counter(
            sign
            for each in learnt_from
            if each.source != "files"
            for sign in set[str]().union(*each.windows)
        )
        signs = (sign for sign, count in counts.items() if count >= FEWEST_TEXTS)
        self._places = {sign: place for place, sign in enumerate(sorted(signs))}
        self._regression: Any = None
        for _ in range(3):
            self._fit(learnt_from)

    def reader(self, threshold: float = 0.0) -> tuple[float, dict[str, float]]:
        """Bias and weights for a `ResultReader`, whose score of a half is the threshold."""
        learnt = zip(self._places, self._regression.coef_[0], strict=True)
        signs = {sign: round(float(weight), 1) for sign, weight in learnt}
        bias = round(float(self._regression.intercept_[0]) - threshold, 3)
        return bias, {sign: weight for sign, weight in signs.items() if weight}

    def _choose(self, example: Example) -> list[Counter[str]]:
        """The windows that look most like injections, once anything is known: of one, the most."""
        if self._regression is None:
            return example.windows
        scores = self._regression.decision_function(self._matrix(example.windows))
        most = 1 if example.is_injected else MOST_ORDINARY
        return [example.windows[place] for place in scores.argsort()[::-1][:most]]

    def _fit(self, learnt_from: Sequence[Example]) -> None:
        windows: list[Counter[str]] = []
        labels: list[bool] = []
        weights: list[float] = []
        for each in learnt_from:
            chosen = self._choose(each)
            windows += chosen
            labels += [each.is_injected] * len(chosen)
            weights += [each.weight] * len(chosen)
        linear = importlib.import_module("sklearn.linear_model")
        regression = linear.LogisticRegression(C=STRENGTH, max_iter=500)
        self._regression = regression.fit(self._matrix(windows), labels, sample_weight=weights)

    def _matrix(self, windows: Sequence[Counter[str]]) -> Any:
        places, values, ends = list[int](), list[float](), [0]
        for signs in windows:
            share = get_share(signs.total())
            for sign, count in signs.items():
                if (place := self._places.get(sign)) is not None:
                    places.append(place)
                    values.append(share * count)
            ends.append(len(places))
        sparse = importlib.import_module("scipy.sparse")
        return sparse.csr_matrix((values, places, ends), shape=(len(windows), len(self._places)))


def _evidence(score: float) -> float:
    return log(score / (1 - score)) if 0 < score < 1 else 99.0 * (score - 0.5)


def _threshold(scored: Iterable[tuple[Example, float]]) -> float:
    thresholds = []
    for source, share in WITHHELD.items():
        scores = sorted((score for each, score in scored if each.source == source), reverse=True)
        thresholds += scores[int(share * len(scores)) :][:1]
    return max(thresholds)


def _report(scored: Sequence[tuple[Example, float]], threshold: float) -> None:
    for source in sorted({each.source for each, _ in scored}):
        scores = [score for each, score in scored if each.source == source]
        withheld = sum(score > threshold for score in scores)
        print(f"{source:12}{len(scores):8}{withheld:8}{withheld / len(scores):9.2%}")


def main() -> None:
    """Print what is found of texts that were not seen, and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_injection_results")
    parser.add_argument("--ordinary", type=Path, nargs="*", default=[], metavar="FOLDER")
    options = parser.parse_args()
    known = [*examples(), *files(options.ordinary, most_chars=6_000_000)]
    random.Random(1).shuffle(known)
    scored: list[tuple[Example, float]] = []
    for part in range(PARTS):
        reader = ResultReader(
            *Model([each for at, each in enumerate(known) if at % PARTS != part]).reader()
        )
        scored += [(each, _evidence(reader.score(each.text))) for each in known[part::PARTS]]
    threshold = _threshold(scored)
    _report(scored, threshold)
    bias, signs = Model(known).reader(threshold)
    table = json.dumps({"bias": bias, "signs": signs}, ensure_ascii=False, indent=1, sort_keys=True)
    WEIGHTS.write_text(f"{table}\n", encoding="utf-8")
    print(f"{len(signs)} signs, bias {bias}")


if __name__ == "__main__":
    main()
