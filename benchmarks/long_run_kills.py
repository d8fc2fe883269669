"""Long runs whose process is killed again and again: `python -m benchmarks.long_run_kills`.

A durable run on SQLite reads reports of up to 360 000 characters, and now and then one of them
again, in a window that is full every few turns. Its model is a vendor on loopback, in another
process than the run, which kills that process with SIGKILL: at a request, before or after its
answer, within or after one of two tools that run at the same time, while the compactor is asked, or
some milliseconds later. The next process takes the run up. Once a run has ended, the next one
begins, until there were enough kills; on OpenAI chat, Responses and Anthropic.

Each run is compared with one that nothing has killed: the requests, as the vendor has received
them, the records of the compactions, and the events that tell of them. A request may come again if
its process died before the answer was recorded. `--seed` chooses other places.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import signal
import sqlite3
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import reduction
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import IO, Any

from arc_autoconfig import Application, ArcSettings
from arc_core import Compaction, CompactionView, ContextCompacted, tool
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_plugins.compactors.clearing import ClearingCompactor
from benchmarks.durable.claims import Claims
from benchmarks.fake_responses import Call
from benchmarks.fake_vendor import STREAMS
from benchmarks.long_runs import make_facts, write_report
from benchmarks.prefix_vendors import VENDORS

__all__ = ["Outcome", "run"]

_RUN = "r"
_ANSWER = "Done."
_STREAMED = {"openai chat": "chat", "openai responses": "responses", "anthropic": "messages"}
_KINDS = ("request", "answer", "tool", "reported", "compact")
_WAITS_S = (0.0, 0.002, 0.01, 0.03)
_MOST_SKIPPED = 4
_REREAD_EVERY = 4
_PARALLEL_EVERY = 2
_MOST_REQUESTS = 10_000
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(
    ["benchmarks.long_run_kills", "arc_plugins.journals.sql.journals"]
)


@dataclass(frozen=True, slots=True)
class Kill:
    """The place at which a process is killed.

    Attributes:
        kind: `request` is before an answer, `answer` after it; `tool` is within a tool,
            `reported` at its end, and `compact` while the compactor is asked.
        skipped: How many places of this kind the process passes before.
        wait_s: The time from there to the kill.
    """

    kind: str
    skipped: int
    wait_s: float


@dataclass(slots=True)
class Outcome:
    """One run, over all its lives.

    Attributes:
        requests: The bodies, as they were received; one that came twice in a row is there once.
        repeated: How many came again.
        compactions: The records.
        told: The events of compactions.
        asked: How often the compactor was asked.
        result: The end of the run, as its record has it.
        kills: The kind of each kill, and the last step that was recorded before it.
    """

    requests: list[bytes] = field(default_factory=list)
    repeated: int = 0
    compactions: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    asked: int = 0
    result: str = ""
    kills: list[tuple[str, str]] = field(default_factory=list)


def plan_kills(count: int, seed: int) -> list[Kill]:
    """Choose places, always the same ones for a seed."""
    chosen = Random(seed)
    kinds = [_KINDS[number % len(_KINDS)] for number in range(count)]
    chosen.shuffle(kinds)
    return [
        Kill(
            kind,
            0 if kind == "compact" else chosen.randrange(_MOST_SKIPPED),
            chosen.choice(_WAITS_S),
        )
        for kind in kinds
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A run, as its processes are given it: the API, its database, the vendor, the reports."""

    api: str
    database: Path
    address: str
    turns: int
    window: int


class KillingVendor:
    """Says what the run does next, and kills its process where it is told to.

    Args:
        api: Whose answers it gives.
        turns: The reports that are read.
        kills: One for each life.
        database: Of the run.
    """

    def __init__(self, api: str, turns: int, *, kills: Sequence[Kill], database: Path) -> None:
        self.outcome = Outcome()
        self._write = STREAMS[_STREAMED[api]]
        self._script = list(_write_script(turns))
        self._kills, self._database = iter(kills), database
        self._kill: Kill | None = None
        self._left = 0
        self._process: BaseProcess | None = None
        self._killing: asyncio.Task[None] | None = None

    def watch(self, process: BaseProcess) -> None:
        """Take the next process, and the place where it ends."""
        self._process, self._killing = process, None
        self._kill = next(self._kills, None)
        self._left = self._kill.skipped if self._kill else 0

    async def finish_kill(self) -> bool:
        """Wait until the kill of this life is done; return False if none was begun."""
        if self._killing is None:
            return False
        await self._killing
        return True

    def reply(self, request: ReceivedRequest) -> Reply:
        """Say what comes next, or the same again to the same request."""
        requests = self.outcome.requests
        if requests and requests[-1] == request.body:
            self.outcome.repeated += 1
        else:
            requests.append(request.body)
        self.pass_by("request")
        turn = min(len(requests), len(self._script))
        calls = self._script[turn - 1]
        asyncio.get_running_loop().call_soon(self.pass_by, "answer")
        return Reply.events(b"".join(self._write([] if calls else [_ANSWER], calls)))

    def pass_by(self, kind: str) -> None:
        """Kill the process if this is the place."""
        if kind == "compact":
            self.outcome.asked += 1
        if self._kill is None or self._kill.kind != kind or self._killing is not None:
            return
        if self._left:
            self._left -= 1
        elif self._kill.wait_s:
            self._killing = asyncio.create_task(self._wait_and_kill(self._kill.wait_s))
        else:
            self._send_kill()
            self._killing = asyncio.create_task(asyncio.sleep(0))

    async def _wait_and_kill(self, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        self._send_kill()

    def _send_kill(self) -> None:
        assert self._process is not None
        assert self._kill is not None
        if self._process.is_alive():
            self._process.kill()
            self.outcome.kills.append((self._kill.kind, _find_last_step(self._database)))


def _write_script(turns: int) -> Iterator[Sequence[Call]]:
    """Yield the calls of each turn: every other time two reports are read at once."""
    facts, ids = make_facts(turns, turns), count()
    numbers = iter(range(turns))

    def call(name: str, **arguments: object) -> Call:
        return Call(f"call_{next(ids)}", name, json.dumps(arguments))

    for turn, number in enumerate(numbers):
        calls = [call("read_report", number=number)]
        if turn % _PARALLEL_EVERY and (other := next(numbers, None)) is not None:
            calls.append(call("read_report", number=other))
        yield calls
        if turn % _REREAD_EVERY == _REREAD_EVERY - 1:
            yield [call("read_result", find=facts[number // 2].question)]
    yield []


def _find_last_step(database: Path) -> str:
    """Return the kind of the step that was recorded last."""
    query = "SELECT key FROM arc_run_steps WHERE run_id = ? ORDER BY at DESC, rowid DESC LIMIT 1"
    found = _read(database, query)
    return str(found[0][0]).partition("/")[0] if found else "nothing"


def _read(database: Path, query: str) -> list[Any]:
    connection = sqlite3.connect(database)
    try:
        return connection.execute(query, (_RUN,)).fetchall()
    finally:
        connection.close()


async def run(api: str, turns: int, *, window: int, kills: Sequence[Kill] = ()) -> Outcome:
    """Run once over as many lives as there are kills, and one more.

    Args:
        api: A name of `VENDORS`.
        turns: The reports that are read.
        window: Of the model, in tokens.
        kills: One for each life.

    Raises:
        RuntimeError: A process has ended by itself, without the end of the run.
    """
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "runs.db"
        vendor = KillingVendor(api, turns, kills=kills, database=database)
        async with VendorServer(*[vendor.reply] * _MOST_REQUESTS) as server:
            address = f"{server.url}{VENDORS[api].path}"
            work = Work(api=api, database=database, address=address, turns=turns, window=window)
            while not await _live(vendor, work):
                pass
        await _read_outcome(vendor.outcome, work)
        return vendor.outcome


async def _live(vendor: KillingVendor, work: Work) -> bool:
    """Start a process and wait for its end; return True if the run has ended, too."""
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb", buffering=0) as lines, os.fdopen(writer, "wb") as ours:
        process = _PROCESSES.Process(target=_work, args=(reduction.DupFd(writer), work))
        process.start()
        ours.close()
        vendor.watch(process)
        has_ended = False
        async for word in _read_words(lines):
            has_ended = has_ended or word == "ended"
            vendor.pass_by(word)
    was_killed = await vendor.finish_kill()
    await asyncio.to_thread(process.join)
    if has_ended or (was_killed and process.exitcode == -signal.SIGKILL):
        return has_ended
    raise RuntimeError(f"the process has ended with {process.exitcode}")


async def _read_words(pipe: IO[bytes]) -> AsyncIterator[str]:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    async for line in reader:
        yield line.decode().strip()


async def _read_outcome(outcome: Outcome, work: Work) -> None:
    query = "SELECT key, value FROM arc_run_steps WHERE run_id = ? AND key LIKE 'compact/%'"
    outcome.compactions = {
        key: json.dumps(json.loads(value)["value"]) for key, value in _read(work.database, query)
    }
    async with _application(work, parts=(), takes_runs=False) as app, app.attach(_RUN) as attached:
        async for event in attached.events():
            if isinstance(event, ContextCompacted):
                outcome.told.append(f"{event.cleared} {event.dropped} {event.tokens_after}")
        outcome.result = str(getattr(await app.result(_RUN), "content", None))


class _TellingCompactor(ClearingCompactor):
    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    async def compact(self, view: CompactionView) -> Compaction:
        _tell(self._pipe, "compact")
        return await super().compact(view)


def _tell(pipe: int, word: str) -> None:
    os.write(pipe, f"{word}\n".encode())


def _application(work: Work, *, parts: Sequence[object], takes_runs: bool) -> Application:
    settings = ArcSettings(
        _isolated=True,
        durable={"enabled": True, "url": f"sqlite:///{work.database}", "work": takes_runs},
        max_tool_calls=_MOST_REQUESTS,
        llm={
            "base_url": work.address,
            "system_prompt": "Read all reports.",
            "max_context_window_tokens": work.window,
        },
        context={"max_reads": _MOST_REQUESTS},
        concurrency={"request_timeout_s": 0},
        guard={"enabled": False},
        logging={"level": "ERROR"},
    )
    model = VENDORS[work.api].model(settings.llm)
    return Application(settings, register=[model, *parts], plugins=False)


def _work(pipe: Any, work: Work) -> None:
    _set_keys()
    asyncio.run(_go_on(pipe.detach(), work, is_new=not work.database.exists()))


async def _go_on(pipe: int, work: Work, *, is_new: bool) -> None:
    """Begin the run, or go on with it, until it has ended."""
    facts = make_facts(work.turns, work.turns)

    @tool
    def read_report(number: int) -> str:
        """Read a report by its number."""
        _tell(pipe, "tool")
        report = write_report(number, facts)
        _tell(pipe, "reported")
        return report

    parts = (_TellingCompactor(pipe), read_report)
    async with _application(work, parts=parts, takes_runs=True) as app:
        if is_new:
            await app.submit("What is in the reports?", run_id=_RUN)
        async with app.attach(_RUN) as attached:
            async for _ in attached.events():
                pass
        _tell(pipe, "ended")


def _set_keys() -> None:
    os.environ |= {"OPENAI_API_KEY": "sk-bench", "ANTHROPIC_API_KEY": "sk-ant-bench"}


async def measure(api: str, options: argparse.Namespace) -> None:
    """Kill, compare and print."""
    whole = await run(api, options.turns, window=options.window)
    if whole.result != _ANSWER:
        raise SystemExit(f"the run without a kill has ended with {whole.result}")
    print(f"{api}: {len(whole.requests)} requests, {len(whole.compactions)} compactions")
    claims, kills = Claims(), list[tuple[str, str]]()
    while len(kills) < options.kills:
        plan = plan_kills(options.kills - len(kills), options.seed + len(kills))
        killed = await run(api, options.turns, window=options.window, kills=plan)
        kills += killed.kills
        equal = sum(a == b for a, b in zip(whole.requests, killed.requests, strict=False))
        claims.equal("requests", len(killed.requests), len(whole.requests))
        claims.equal("of them, equal to those without a kill", equal, len(whole.requests))
        claims.at_most("requests that came again", killed.repeated, len(killed.kills))
        claims.equal("records of compactions", len(killed.compactions), len(whole.compactions))
        claims.equal("the same ones", killed.compactions == whole.compactions, True)
        claims.equal("events of compactions", len(killed.told), len(whole.told))
        claims.equal("the same ones", killed.told == whole.told, True)
        claims.at_most("questions to the compactor", killed.asked, whole.asked + len(killed.kills))
        claims.equal("the end", killed.result, whole.result)
    claims.at_least("kills", len(kills), options.kills)
    _print_kills(kills)
    claims.end()


def _print_kills(kills: Sequence[tuple[str, str]]) -> None:
    print("\nkilled at, and the last step recorded then:")
    for (kind, step), times in sorted(Counter(kills).items()):
        print(f"{kind:9} after {step:8} {times:3}")


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.long_run_kills", description=__doc__
    )
    parser.add_argument("--api", choices=list(VENDORS), help="only this one")
    parser.add_argument("--kills", type=int, default=50, help="of each API (50)")
    parser.add_argument("--turns", type=int, default=160, help="of each run (160)")
    parser.add_argument("--window", type=int, default=40_000, help="tokens (40 000)")
    parser.add_argument("--seed", type=int, default=28, help="of the places (28)")
    options = parser.parse_args()
    _set_keys()
    for api in [options.api] if options.api else VENDORS:
        asyncio.run(measure(api, options))


if __name__ == "__main__":
    main()
