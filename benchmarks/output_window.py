"""What the window of an output guard costs a stream: `python -m benchmarks.output_window`.

Scripted streams of prose in pieces of four characters, without a network: at full speed, and a
piece each 20 milliseconds after half a second, as from a vendor. A stream without guards is
compared with guards that look at everything and let it leave, behind windows of several widths, and
with those that come with Arc. Rounds are interleaved; figures are medians, and the smallest.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from arc_core import (
    AgentCommand,
    Allowed,
    ChatDelta,
    ChatRequest,
    FinishReason,
    GuardResult,
    OutputGuard,
    OutputGuardRequest,
    TextDelta,
)
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_plugins.output_guards.leak_detection.links import LinkOutputGuard
from arc_plugins.output_guards.leak_detection.personal_data import PiiMaskingOutputGuard
from arc_plugins.output_guards.leak_detection.secrets import SecretLeakOutputGuard
from arc_plugins.output_guards.leak_detection.settings import LeakMode, OutputSettings

__all__ = ["main"]

_PROSE = (
    "The quarterly report covers revenue, costs and hiring; please send your notes by Friday, "
    "so that the board can see them before it meets in Seoul on the 14th. "
)
_PIECES = [_PROSE[at : at + 4] for at in range(0, len(_PROSE), 4)]
_MASK = OutputSettings(secrets=LeakMode.MASK, pii=LeakMode.MASK, links=LeakMode.MASK)
_COMMAND = AgentCommand(user_prompt="Tell me.")


class _Looking(OutputGuard):
    """Looks for what is not there."""

    def __init__(self, window_chars: int | None) -> None:
        self.window_chars = window_chars

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        assert "\0" not in request.text
        return Allowed()


class _Stream(ScriptedChatModel):
    """Streams pieces; in bursts, as from a socket, or one by one."""

    def __init__(self, pieces: int, *, first_s: float, delay_s: float, burst: int) -> None:
        super().__init__([])
        self._pieces, self._delay_s, self._burst = pieces, delay_s, burst
        self._first_s = first_s

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        await asyncio.sleep(self._first_s)
        for number in range(self._pieces):
            if number % self._burst == 0:
                await asyncio.sleep(self._delay_s)
            yield ChatDelta(text=_PIECES[number % len(_PIECES)])
        yield ChatDelta(finish_reason=FinishReason.STOP)


@dataclass(frozen=True)
class Figures:
    """Of one stream: milliseconds to its first piece, and processor µs a piece."""

    first_ms: float
    cpu_us: float


async def _measure(
    guards: Sequence[Any], *, pieces: int, first_s: float, delay_s: float, burst: int
) -> Figures:
    model = _Stream(pieces, first_s=first_s, delay_s=delay_s, burst=burst)
    agent = scripted_agent(model, output_guards=tuple(guards))
    began, cpu, first = time.perf_counter(), time.process_time(), None
    text = 0
    async for event in agent.stream_events(_COMMAND):
        if isinstance(event, TextDelta):
            first = first or time.perf_counter() - began
            text += len(event.text)
    assert text == sum(len(_PIECES[number % len(_PIECES)]) for number in range(pieces))
    return Figures((first or 0) * 1000, (time.process_time() - cpu) / pieces * 1e6)


def _report(title: str, found: dict[str, list[Figures]]) -> None:
    print(f"\n{title}")
    print(f"{'window':>16}{'µs/piece':>10}{'min':>8}{'more':>8}{'first, ms':>11}{'times':>8}")
    cpu = median(each.cpu_us for each in found["none"])
    first = median(each.first_ms for each in found["none"])
    for name, figures in found.items():
        mine = median(each.cpu_us for each in figures)
        least = min(each.cpu_us for each in figures)
        shown = median(each.first_ms for each in figures)
        print(
            f"{name:>16}{mine:10.2f}{least:8.2f}{mine - cpu:8.2f}{shown:11.2f}{shown / first:8.2f}"
        )


async def compare(
    guards: Mapping[str, Sequence[Any]], *, rounds: int, **stream: Any
) -> dict[str, list[Figures]]:
    """The figures of each set of guards, interleaved."""
    found: dict[str, list[Figures]] = {name: [] for name in guards}
    for _ in range(rounds):
        for name, each in guards.items():
            found[name].append(await _measure(each, **stream))
    return found


def main() -> None:
    """Print the tables."""
    guards: dict[str, Sequence[Any]] = {"none": ()}
    guards |= {f"{width} chars": (_Looking(width),) for width in (0, 24, 72)}
    secrets = SecretLeakOutputGuard(settings=_MASK)
    links, personal = LinkOutputGuard(settings=_MASK), PiiMaskingOutputGuard(settings=_MASK)
    guards |= {"links": (links,), "secrets": (secrets,), "all three": (secrets, personal, links)}
    for burst in (1, 16, 256):
        stream: dict[str, Any] = {"pieces": 5000, "first_s": 0, "delay_s": 0, "burst": burst}
        found = asyncio.run(compare(guards, rounds=11, **stream))
        _report(f"5 000 pieces at full speed, {burst} at once", found)
    stream = {"pieces": 60, "first_s": 0.5, "delay_s": 0.02, "burst": 1}
    found = asyncio.run(compare(guards, rounds=3, **stream))
    _report("60 pieces after 500 ms, one each 20 ms", found)


if __name__ == "__main__":
    main()
