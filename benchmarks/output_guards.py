"""How well the output guards know leaks, and what they cost: `python -m benchmarks.output_guards`.

The leaks are generated from a seed by `tests.arc_plugins.output_guards.leaks`; harmless texts are
in `tests/corpora/leaks`.
"""

import argparse
import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arc_core import Allowed, OutputGuard, OutputGuardRequest
from arc_plugins.output_guards.leak_detection.links import LinkOutputGuard
from arc_plugins.output_guards.leak_detection.personal_data import PiiMaskingOutputGuard
from arc_plugins.output_guards.leak_detection.secrets import SecretLeakOutputGuard
from arc_plugins.output_guards.leak_detection.settings import LeakMode, OutputSettings
from tests.arc_plugins.output_guards.leaks import LINKS, PERSONAL, SECRETS, Maker
from tests.arc_plugins.output_guards.markup import make_markup, what_leaves
from tests.arc_plugins.output_guards.streaming import cut, mask, stream

CORPUS = Path(__file__).parents[1] / "tests" / "corpora" / "leaks" / "benign.jsonl"
PIECE_CHARS = 4
LENGTHS = (100, 1_000, 10_000)
ORDINARY = {
    "prose": "The quarterly report covers revenue, costs and hiring; please send your notes. ",
    "code": "def add(index: int, key: str) -> int:\n    return items[index] or {}  # see docs\n",
    "log": "2024-01-15T10:30:22Z INFO id=550e8400-e29b-41d4-a716-446655440000 took 12.5 ms\n",
    "korean": "이사회에 낼 보고서를 요약해 주세요. 매출과 비용, 채용 계획을 다룹니다. ",
}
SETTINGS = OutputSettings(secrets=LeakMode.MASK, pii=LeakMode.MASK, links=LeakMode.MASK)


@dataclass(frozen=True)
class Case:
    """A guard, and the leaks that it must know."""

    guard: OutputGuard
    leaks: Mapping[str, Maker]


def cases() -> dict[str, Case]:
    """Every guard by its setting."""
    return {
        "secrets": Case(SecretLeakOutputGuard(settings=SETTINGS), SECRETS),
        "pii": Case(PiiMaskingOutputGuard(settings=SETTINGS), PERSONAL),
        "links": Case(LinkOutputGuard(settings=SETTINGS), LINKS),
    }


async def misses(case: Case, *, leaks: int, seed: int) -> Counter[str]:
    """By kind, of how many of so many leaks something leaves, split at random in a longer text."""
    source, missed = random.Random(seed), Counter[str]()
    kinds = list(case.leaks)
    for number in range(leaks):
        kind = kinds[number % len(kinds)]
        leak = case.leaks[kind](source)
        before = "word " * source.randrange(40)
        text = f"{before}{leak.text}{source.choice((' and more', '.', ''))}{' word' * 30}"
        places = [source.randrange(len(text)) for _ in range(source.randrange(80))]
        left = await stream(case.guard, cut(text, places))
        missed[kind] += leak.core in left or leak.core[:12] in left or leak.core[-12:] in left
    return +missed


async def false_positives(guard: OutputGuard) -> list[dict[str, str]]:
    """Harmless texts of which something does not leave."""
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    entries: list[dict[str, str]] = [json.loads(line) for line in lines]
    return [entry for entry in entries if await mask(guard, entry["text"]) != entry["text"]]


async def microseconds_per_check(guard: OutputGuard, text: str, *, checks: int) -> float:
    """Of a text that goes on and has not left yet."""
    request = OutputGuardRequest(text=text, is_final=False)
    began = time.perf_counter()
    for _ in range(checks):
        assert isinstance(await guard.check(request), Allowed)
    return (time.perf_counter() - began) / checks * 1e6


async def microseconds_per_piece(guard: OutputGuard, text: str) -> float:
    """Of a stream in pieces of four characters, a check for each of them."""
    pieces = [text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS)]
    began = time.perf_counter()
    await stream(guard, pieces)
    return (time.perf_counter() - began) / len(pieces) * 1e6


async def fetched_of_made_texts(guard: OutputGuard, *, texts: int, seed: int) -> tuple[int, int]:
    """Of how many made texts a renderer fetches data to a foreign host, before and after."""
    source, before, after = random.Random(seed), 0, 0
    for _ in range(texts):
        text = make_markup(source)
        before += any(what_leaves(text))
        after += any(what_leaves(await mask(guard, text)))
    return before, after


async def report(*, leaks: int, seed: int) -> None:
    for name, case in cases().items():
        missed = await misses(case, leaks=leaks, seed=seed)
        wrong = await false_positives(case.guard)
        kinds = dict(Counter(entry["kind"] for entry in wrong))
        print(f"{name}: window {case.guard.window_chars} characters")
        print(
            f"  leaks missed: {missed.total()} of {leaks} in {len(case.leaks)} kinds {dict(missed)}"
        )
        print(f"  harmless texts changed: {len(wrong)} {kinds}")
        for entry in wrong:
            print(f"    {entry['text'][:90]!r}")
        for kind, unit in ORDINARY.items():
            text = (unit * 200)[: LENGTHS[-1]]
            figures = [
                f"{await microseconds_per_check(case.guard, text[:length], checks=100):8.1f}"
                for length in LENGTHS
            ]
            piece = await microseconds_per_piece(case.guard, text[:2_000])
            print(f"  {kind:8}µs a check {LENGTHS}: {''.join(figures)}; a piece: {piece:.1f}")
    before, after = await fetched_of_made_texts(cases()["links"].guard, texts=2 * leaks, seed=seed)
    print(f"made texts of which a renderer fetches data: {before} of {2 * leaks}, masked {after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leaks", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=17)
    arguments = parser.parse_args()
    asyncio.run(report(leaks=arguments.leaks, seed=arguments.seed))


if __name__ == "__main__":
    main()
