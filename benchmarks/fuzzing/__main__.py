"""Feeds malformed input to one target: `python -m benchmarks.fuzzing streams --seconds 600`.

Input is recorded or written by Arc and then changed in a few places. Arc may accept it or refuse it
with one of its errors. Everything else is a fault: another exception, a message that tells a secret
or the text of an exception, a slow input, memory that grows. Faults are printed once each with
their input; the exit code is 1 if there are any. The same seed gives the same inputs.
"""

import argparse
import asyncio
import faulthandler
import logging
import os
import resource
import sys
import time
import traceback
from collections import Counter
from importlib import import_module
from random import Random

from benchmarks.fuzzing.mutation import mutate
from benchmarks.fuzzing.target import FaultError, LogWatch, Target

TARGETS = ("forms", "logins", "recordings", "server", "settings", "streams")
_HANG_S, _SLOW_S = 60, 3.0
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzzing", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=float, default=60, help="of CPU (60)")
    parser.add_argument("--seed", type=int, default=0, help="of what is random (0)")
    parser.add_argument("--plain", action="store_true", help="begin with the samples, unchanged")
    return parser.parse_args()


class Fuzzer:
    """Tries inputs, and counts what comes of them.

    Attributes:
        counts: How many were accepted, refused and at fault.
        slowest: Seconds of CPU, and the bytes of that input.
    """

    def __init__(self, target: Target) -> None:
        self.counts: Counter[str] = Counter()
        self.slowest = (0.0, 0)
        self._target = target
        self._known: set[str] = set()
        self._log = LogWatch()
        logging.basicConfig(handlers=[self._log], level=logging.WARNING, force=True)

    async def try_input(self, kind: str, data: bytes) -> None:
        """Try one; a hang ends the process with the stacks of all threads."""
        faulthandler.dump_traceback_later(_HANG_S, exit=True)
        self._log.problems.clear()
        began = time.process_time()
        try:
            async with asyncio.timeout(_HANG_S / 2):
                is_accepted = await self._target.attempt(kind, data)
            self._log.check()
            self.counts["accepted" if is_accepted else "refused"] += 1
        except self._target.refusals:
            self.counts["refused"] += 1
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            said = f": {error}"[:100] if isinstance(error, FaultError) else ""
            title = f"{type(error).__name__} at {place.filename}:{place.lineno}{said}"
            self._report(title, kind, data)
        took_s = time.process_time() - began
        self.slowest = max(self.slowest, (took_s, len(data)))
        if took_s > _SLOW_S:
            self._report(f"slow: more than {_SLOW_S} s of CPU", kind, data)

    def _report(self, title: str, kind: str, data: bytes) -> None:
        self.counts["at fault"] += 1
        if title not in self._known:
            self._known.add(title)
            print(f"\n{title} ({kind}, {len(data)} bytes)\n{data[:2000]!r}", flush=True)
            if sys.exc_info()[0]:
                print(ascii(traceback.format_exc(limit=-6, chain=False)).replace("\\n", "\n"))


async def fuzz(name: str, asked: argparse.Namespace) -> bool:
    """Fuzz a target, and print a row; return whether there was no fault."""
    random = Random(asked.seed)
    async with import_module(f"benchmarks.fuzzing.{name}").open_target() as target:
        fuzzer, before_mb = Fuzzer(target), 0.0
        for kind, data in target.samples if asked.plain else ():
            await fuzzer.try_input(kind, data)
        began, ends = time.process_time(), time.process_time() + asked.seconds
        while (now := time.process_time()) < ends:
            if not before_mb and now > began + asked.seconds / 5:
                before_mb = _resident_mb()
            kind, data = random.choice(target.samples)
            await fuzzer.try_input(kind, mutate(random, data))
    took_s, size = fuzzer.slowest
    print(
        f"{name} | {fuzzer.counts.total()} | {fuzzer.counts['accepted']} | "
        f"{fuzzer.counts['refused']} | {fuzzer.counts['at fault']} | "
        f"{took_s * 1000:.0f} ms of {size} bytes | {before_mb:.0f} → {_resident_mb():.0f} | "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f}",
        flush=True,
    )
    return not fuzzer.counts["at fault"]


def _resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * _PAGE_BYTES / 1e6


if __name__ == "__main__":
    asked = options()
    print("target | inputs | accepted | refused | at fault | slowest | MB, at a fifth → end | peak")
    sys.exit(0 if asyncio.run(fuzz(asked.target, asked)) else 1)
