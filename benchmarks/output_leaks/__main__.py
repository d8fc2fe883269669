"""Whether anything that a guard knows leaves on any way: `python -m benchmarks.output_leaks`.

Each leak is generated from a seed, stands at a random place of a text, also within a word, and is
split at random. It has left if eight of its characters in a row were seen by a reader, a hook, the
log, a conversation, or a caller that reads a kept run again. Where a tool call parts the text, what
stood before the call has left by then: that is counted apart, and may be no more than a part.
"""

import argparse
import asyncio
import random
import time
from collections import Counter
from collections.abc import Mapping

from benchmarks.output_leaks.ways import WAYS, World
from tests.arc_plugins.output_guards.leaks import LINKS, PERSONAL, SECRETS, Maker

__all__ = ["leaked_chars", "main", "try_leaks"]

_ROW = 8
_PARTED = "across_turns"
_WORDS = """
The report covers revenue, costs and hiring; version 2.4.1 of 2026-11-22 is out. 이사회 보고서
def add(index): return items[index] # see https://docs.example/guide and ask @team please
""".split()  # noqa: SIM905 -- reads better
_SETTINGS = {"secrets": SECRETS, "pii": PERSONAL, "links": LINKS}


def leaked_chars(seen: str, core: str) -> int:
    """How many characters of a leak stand in what was seen, in rows of eight and more."""
    found: set[int] = set()
    for place in range(len(core) - _ROW + 1):
        if core[place : place + _ROW] in seen:
            found.update(range(place, place + _ROW))
    return len(found)


def _text_with(leak: str, dice: random.Random) -> str:
    """A leak behind a word, or within one: digits beside a number would make it another one."""
    words = [dice.choice(_WORDS) for _ in range(dice.randrange(2, 60))]
    place = dice.randrange(len(words))
    word = words[place]
    if word.isalpha() and dice.random() < 0.5:
        cut = dice.randrange(len(word) + 1)
        words[place] = f"{word[:cut]}{leak}{word[cut:]}"
    else:
        words.insert(place, leak)
    return " ".join(words)


async def try_leaks(
    mode: str, *, leaks: int, dice: random.Random, kinds: Mapping[str, Mapping[str, Maker]]
) -> tuple[Counter[str], Counter[str]]:
    """How many leaks were tried on each way, and how many characters of them have left."""
    tried, out = Counter[str](), Counter[str]()
    async with World(dict.fromkeys(kinds, mode), dice) as world:
        makers = [(name, make) for each in kinds.values() for name, make in each.items()]
        for number in range(leaks):
            way = list(WAYS)[number % len(WAYS)]
            name, make = dice.choice(makers)
            leak = make(dice)
            seen = await world.seen_on(WAYS[way], _text_with(leak.text, dice))
            tried[way] += 1
            if chars := leaked_chars(seen, leak.core):
                out[f"{way}: {name}"] += chars
    return tried, out


def main() -> None:
    """Try, and print what has left."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.output_leaks", description=__doc__)
    parser.add_argument("--leaks", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=17)
    asked = parser.parse_args()
    for mode in ("mask", "reject"):
        began, dice = time.perf_counter(), random.Random(asked.seed)
        trying = try_leaks(mode, leaks=asked.leaks // 2, dice=dice, kinds=_SETTINGS)
        tried, out = asyncio.run(trying)
        took_s = time.perf_counter() - began
        print(f"{mode}: {tried.total()} leaks on {len(tried)} ways, {took_s:.0f} s")
        parted = {name: count for name, count in out.items() if name.startswith(_PARTED)}
        whole = {name: count for name, count in out.items() if name not in parted}
        print(f"  characters out: {sum(whole.values())} {whole or ''}")
        print(f"  before a tool call that parts them: {sum(parted.values())} {parted or ''}")


if __name__ == "__main__":
    main()
