"""One run that is longer than its window: `python -m benchmarks.long_runs`.

A model works through reports, one a turn: six in ten have 2 000 characters, three in ten 10 000,
and one in ten 360 000. In some of them stands a fact, 30 in a hundred Korean, 10 in the middle of a
line of 50 000 characters. At the end the model is asked for each fact, and knows no more than the
words of the question. What is measured are the bytes that a vendor on loopback has received. Each
line of the table has

- the requests, and of the bytes of each the share that comes again unchanged at the beginning of
  the next one;
- the tokens of the largest request, by OpenAI's own count, with its tools and prompt;
- how many facts the model then had before it, after two calls at most;
- the time for a byte of a request at the end of the run, in that at its beginning.
"""

import argparse
import asyncio
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from statistics import fmean
from typing import Any

from arc_core import AgentCommand, tool
from arc_core.interfaces.conversations.compactor import Compactor
from arc_core.settings import AgentSettings, ConcurrencySettings, ContextSettings, LlmSettings
from arc_core.testing import scripted_agent
from arc_core.testing.conformance.components import running
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_plugins.compactors.clearing import ClearingCompactor
from arc_plugins.compactors.drop import DroppingCompactor
from arc_plugins.compactors.summary import SummarizingCompactor
from arc_plugins.estimators.bpe.estimator import BpeTokenEstimator
from arc_plugins.estimators.heuristic import HeuristicTokenEstimator
from benchmarks.prefix_figures import count_common_bytes, remove_cache_marks
from benchmarks.prefix_vendors import VENDORS, VendorForm

COMPACTORS: Mapping[str, type[Compactor]] = {
    "clearing": ClearingCompactor,
    "summary": SummarizingCompactor,
    "drop": DroppingCompactor,
}
SIZES = (2_000,) * 6 + (10_000,) * 3 + (360_000,)
_LONG_LINE = 50_000
_SUMMARY = "The agent has read reports, one after the other, and found nothing else to do. " * 30
_CALLS_A_FACT = 2
_WORDS = (
    *("branch", "ledger", "parcel", "invoice", "meeting", "storage", "printer", "contract"),
    *("holiday", "customer", "server", "backup", "audit", "budget", "campaign", "delivery"),
    *("warehouse", "supplier", "catalogue", "deadline"),
)
_NAMES = (
    *("Aldana", "Brauer", "Castell", "Dorsey", "Eklund"),
    *("Farrow", "Gantry", "Hollis", "Iverson", "Jansen"),
)
_NAMES_KO = (
    *("김민수", "이서연", "박지훈", "최유진", "정하늘"),
    *("강도윤", "조은서", "윤지호", "장미래", "임현우"),
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact in one of the reports.

    Attributes:
        turn: Whose report has it.
        sentence: As it stands there.
        question: The words by which it is looked for.
        answer: What is to be found.
        is_in_long_line: Whether it stands in the middle of a line of 50 000 characters.
    """

    turn: int
    sentence: str
    question: str
    answer: str
    is_in_long_line: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One line of the table, and the requests behind it."""

    requests: int
    summaries: int
    kept: float
    kept_by_request: tuple[float, ...]
    most_tokens: int
    found: int
    time_ratio: float


def make_facts(turns: int, count: int) -> Sequence[Fact]:
    """Facts in reports that are spread over a run, always the same ones."""
    facts = []
    for number in range(count):
        turn = number * turns // count
        code, is_korean = f"QX-{7_000 + number * 13}", number % 10 in {2, 5, 8}
        names = _NAMES_KO if is_korean else _NAMES
        name = f"{names[number % 10]}{number}"
        word = _WORDS[number % len(_WORDS)]
        if is_korean:
            sentence = f"{name}의 송장번호는 {code}입니다."
            question = f"{name}의 송장번호는 무엇입니까"
        else:
            sentence = f"The {word} code of {name} is {code}."
            question = f"What is the {word} code of {name}?"
        facts.append(Fact(turn, sentence, question, code, number % 10 == 0))
    return facts


def write_report(turn: int, facts: Sequence[Fact], sizes: Sequence[int] = SIZES) -> str:
    """The report of a turn, with its facts somewhere in it."""
    chosen = Random(turn)
    own = [fact for fact in facts if fact.turn == turn]
    size = sizes[turn % len(sizes)]
    lines, written = list[str](), 0
    while written < size:
        lines.append(" ".join(chosen.choices(_WORDS, k=chosen.randint(8, 16))) + ".")
        written += len(lines[-1])
    for fact in own:
        if fact.is_in_long_line:
            side = " ".join(chosen.choices(_WORDS, k=_LONG_LINE // 14))
            lines.insert(len(lines) // 2, f"{side} {fact.sentence} {side}")
        else:
            lines.insert(chosen.randrange(len(lines)), fact.sentence)
    return "\n".join(lines)


class Worker:
    """A vendor whose model reads all reports, and then looks for all facts.

    Attributes:
        found: How many facts it had before it, after two calls at most for each.
        summaries: How often it was asked for one, which are requests beside the others.
        times: When each of the others came.
        bodies: Of the others.
    """

    def __init__(self, form: VendorForm, turns: int, facts: Sequence[Fact]) -> None:
        self._form, self._turns = form, turns
        self._steps = self._work(facts)
        self._read = ""
        self.found = self.summaries = 0
        self.times: list[float] = []
        self.bodies: list[bytes] = []

    def reply(self, request: ReceivedRequest) -> Reply:
        """Say what comes next."""
        body = request.json()
        if not body.get("tools"):
            self.summaries += 1
            return Reply.json(self._form.answer(_SUMMARY, None))
        self.times.append(time.process_time())
        self.bodies.append(request.body)
        self._read = json.dumps(body[self._form.messages], ensure_ascii=False)
        name, arguments = next(self._steps)
        text = "" if name else "Done."
        return Reply.json(self._form.answer(text, name, arguments))

    def _work(self, facts: Sequence[Fact]) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
        for turn in range(self._turns):
            yield "read_report", {"number": turn}
        for fact in facts:
            for _ in range(_CALLS_A_FACT):
                if fact.answer in self._read:
                    break
                yield "read_result", {"find": fact.question}
            self.found += fact.answer in self._read
        yield None, {}


async def measure(
    form: VendorForm,
    *,
    turns: int,
    facts: int,
    window: int = 128_000,
    compaction: str = "clearing",
    sizes: Sequence[int] = SIZES,
) -> Figures:
    """The figures of one run."""
    planted = make_facts(turns, facts)

    @tool
    def read_report(number: int) -> str:
        """Read a report by its number."""
        return write_report(number, planted, sizes)

    worker = Worker(form, turns, planted)
    expected = turns + _CALLS_A_FACT * facts + 1
    async with VendorServer(*[worker.reply] * 2 * expected) as server:
        llm = LlmSettings(
            base_url=f"{server.url}{form.path}",
            system_prompt="Read all reports.",
            max_context_window_tokens=window,
        )
        settings = AgentSettings(
            llm=llm,
            max_tool_calls=expected,
            context=ContextSettings(max_reads=expected),
            concurrency=ConcurrencySettings(request_timeout_s=0),
        )
        async with running(form.model(llm)) as model:
            agent = scripted_agent(
                model,
                settings,
                tools=(read_report,),
                compactor=COMPACTORS[compaction](),
                token_estimator=HeuristicTokenEstimator(),
            )
            result = await agent.execute(AgentCommand(user_prompt="What is in the reports?"))
        assert result.success, result.error_message
    return _count(worker, turns=turns)


def _count(worker: Worker, *, turns: int) -> Figures:
    bodies = worker.bodies
    unmarked = [remove_cache_marks(body) for body in bodies[: turns + 1]]
    common = [count_common_bytes(before, now) for before, now in pairwise(unmarked)]
    sizes = [len(body) for body in unmarked[:-1]]
    largest = max(bodies, key=len)
    estimate = BpeTokenEstimator(settings=LlmSettings()).estimate
    return Figures(
        requests=len(bodies),
        summaries=worker.summaries,
        kept=sum(common) / (sum(sizes) or 1),
        kept_by_request=tuple(c / size for c, size in zip(common, sizes, strict=True)),
        most_tokens=estimate(largest.decode()),
        found=worker.found,
        time_ratio=_compare_times(bodies, worker.times, turns=turns),
    )


def _compare_times(bodies: Sequence[bytes], times: Sequence[float], *, turns: int) -> float:
    """Return the time of a late turn in that of an early one, by the bytes of their requests."""
    took = [now - before for before, now in pairwise(times[: turns + 1])]
    a_byte = [each / len(body) for each, body in zip(took, bodies, strict=False)]
    tenth = max(1, turns // 10)
    early, late = a_byte[tenth // 2 : tenth // 2 + tenth], a_byte[-tenth:]
    return fmean(late) / (fmean(early) or 1)


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_runs", description=__doc__)
    parser.add_argument("--turns", type=int, default=500, help="of the run (500)")
    parser.add_argument("--facts", type=int, default=100, help="in its reports (100)")
    parser.add_argument("--size", type=int, help="of all reports, in the place of three sizes")
    parser.add_argument("--window", type=int, default=128_000, help="tokens (128 000)")
    parser.add_argument("--compaction", nargs="*", choices=COMPACTORS, help="of these alone")
    parser.add_argument("--json", help="a file for the shares of each request")
    asked = parser.parse_args()
    os.environ |= {"OPENAI_API_KEY": "sk-bench", "ANTHROPIC_API_KEY": "sk-bench"}
    shares: dict[str, tuple[float, ...]] = {}
    print(
        f"{'':28}{'requests':>9} {'summaries':>10} {'kept':>7} {'tokens':>8} {'found':>6} "
        f"{'late/early':>11}"
    )
    for compaction in asked.compaction or COMPACTORS:
        for name, form in VENDORS.items():
            facts = 0 if compaction == "drop" else asked.facts
            figures = asyncio.run(
                measure(
                    form,
                    turns=asked.turns,
                    facts=facts,
                    window=asked.window,
                    compaction=compaction,
                    sizes=(asked.size,) if asked.size else SIZES,
                )
            )
            shares[f"{name}, {compaction}"] = figures.kept_by_request
            print(
                f"{name + ', ' + compaction:28}{figures.requests:9} {figures.summaries:10} "
                f"{figures.kept:7.1%} "
                f"{figures.most_tokens:8} {figures.found:6} {figures.time_ratio:11.2f}"
            )
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump(shares, file)


if __name__ == "__main__":
    main()
