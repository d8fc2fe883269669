"""Recordings that leave their store, with planted secrets: `python -m benchmarks.exported_runs`.

Each run has a secret or personal data that the output guards know in its prompt, its metadata, the
arguments and the result of a tool, an attached text, its history and its answer; each is generated
from a seed, and stands at a random place of a text. One has left if eight of its characters in a
row stand in the exported line, or in a text of its JSON.
"""

import argparse
import asyncio
import json
import random
import sys
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from arc_autoconfig import Application
from arc_core import AgentCommand, AssistantMessage, Attachment, ToolCall, UserMessage, tool
from arc_core.testing import ScriptedChatModel
from benchmarks.output_leaks.__main__ import leaked_chars
from tests.arc_plugins.output_guards.leaks import PERSONAL, SECRETS, Leak

__all__ = ["PLACES", "Outcome", "export_runs"]

PLACES = ("prompt", "metadata", "arguments", "result", "attachment", "history", "answer")
_WORDS = """
The report covers revenue, costs and hiring; version 2.4.1 of 2026-11-22 is out. 이사회 보고서
""".split()  # noqa: SIM905 -- reads better


@dataclass(slots=True)
class Outcome:
    """The findings.

    Attributes:
        planted: How many leaks were in the records.
        leaked: Characters of those that have left, by kind and place.
        lines: How many were written.
    """

    planted: int = 0
    leaked: Counter[str] = field(default_factory=Counter)
    lines: int = 0


def _write_text(leak: Leak, dice: random.Random) -> str:
    words = [dice.choice(_WORDS) for _ in range(dice.randrange(2, 40))]
    words.insert(dice.randrange(len(words)), leak.text)
    return " ".join(words)


async def export_runs(count: int, *, seed: int = 29) -> Outcome:
    """Record runs with planted leaks, and look for them in what is exported."""
    outcome, dice = Outcome(), random.Random(seed)
    for _ in range(count):
        await _export_one(outcome, dice)
    return outcome


async def _export_one(outcome: Outcome, dice: random.Random) -> None:
    makers = [*SECRETS.items(), *PERSONAL.items()]
    planted = {place: dice.choice(makers) for place in PLACES}
    leaks = {place: make(dice) for place, (_, make) in planted.items()}
    texts = {place: _write_text(leak, dice) for place, leak in leaks.items()}

    @tool
    async def look(note: str) -> dict[str, Any]:
        """Look at something."""
        return {"found": [{"text": texts["result"]}], "length": len(note)}

    call = ToolCall("1", "look", json.dumps({"note": texts["arguments"]}))
    model = ScriptedChatModel([[call], texts["answer"]])
    command = AgentCommand(
        user_prompt=texts["prompt"],
        metadata={"order": {"note": [texts["metadata"]]}},
        attachments=(Attachment("text/plain", texts["attachment"].encode()),),
        conversation_history=(UserMessage(texts["history"]), AssistantMessage("Yes.")),
    )
    async with Application(register=[model, look], plugins=False, record=True) as app:
        result = await app.execute(command)
        async for line in app.export([result.run_id]):
            outcome.lines += 1
            seen = "\n".join([line, *_list_texts(json.loads(line))])
            for place, leak in leaks.items():
                outcome.planted += 1
                if chars := leaked_chars(seen, leak.core):
                    outcome.leaked[f"{planted[place][0]} in {place}"] += chars


def _list_texts(value: Any) -> Iterator[str]:
    """Yield every text of a JSON value, and those of JSON within them."""
    match value:
        case str():
            yield value
            with suppress(ValueError):
                inside = json.loads(value)
                yield from () if isinstance(inside, str) else _list_texts(inside)
        case list():
            for each in value:
                yield from _list_texts(each)
        case dict():
            for key, each in value.items():
                yield key
                yield from _list_texts(each)
                if key == "data" and isinstance(each, str):
                    yield b64decode(each).decode("utf-8", "replace")


def main() -> None:
    """Measure, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=29)
    options = parser.parse_args()
    outcome = asyncio.run(export_runs(options.runs, seed=options.seed))
    leaked = sum(outcome.leaked.values())
    sys.stdout.write(
        f"{outcome.lines} runs, {outcome.planted} planted; {leaked} characters have left\n"
    )
    for name, chars in outcome.leaked.most_common():
        sys.stdout.write(f"  {name}: {chars}\n")


if __name__ == "__main__":
    main()
