"""A process that works on runs, for tests to kill: `python -m … ADDRESS LOG NAME [SETTINGS]`.

It reads commands, a line each, and writes what happens, a line each. The prompt of a run says where
the process that is called `first` stops for ever: `in tool/0` or `after model/1`.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from arc_core import AgentCommand, AgentResult, TextDelta
from arc_core.errors import ArcError
from arc_core.runs.journal import Place, RunJournal, RunSuspended
from arc_core.testing.conformance.run_journal.rules import JSON, RESULT, at_once
from tests.arc_plugins.journals.sql.databases import journals_at

__all__ = ["Body", "main"]

_SEQ_BEFORE = {"enter": 1, "model/1": 2, "model/2": 3}
"""The numbers of the events that a run tells, each before a step."""

_SLOWLY_S = 0.05
"""A step of a run that is to overlap with others."""


def say(*words: str) -> None:
    """Tell the test."""
    print(*words, flush=True)  # noqa: T201 -- a pipe to the test


class Body:
    """A run of six steps, two of them at once."""

    def __init__(self, log: Path, name: str) -> None:
        self._log, self._name = log, name
        self.may_go_on = asyncio.Event()

    async def __call__(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        say("begun", journal.run_id, journal.attempt_id)
        try:
            return await _Run(self, command.user_prompt, journal).act()
        except RunSuspended:
            say("suspended", journal.run_id)
            raise
        except asyncio.CancelledError:
            say("cancelled", journal.run_id)
            raise

    def note(self, *words: str) -> None:
        """Write a line that outlives the process."""
        line = " ".join([*words, self._name])
        descriptor = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)

    async def stop_at(self, wanted: str, place: str, run_id: str) -> None:
        """Stop for ever, or until the test says so, if this is the place."""
        if wanted == place and self._name == "first":
            say("stopped", run_id, place)
            await self.may_go_on.wait()


class _Run:
    def __init__(self, body: Body, stops: str, journal: RunJournal) -> None:
        self._body, self._stops, self._journal = body, stops, journal
        self._sibling_is_recorded = asyncio.Event()

    async def act(self) -> AgentResult:
        await self._do("enter")
        await self._do("model/1")
        places = [self._journal.reserve(f"tool/{number}") for number in range(2)]
        await at_once({
            "0": self._do("tool/0", during=self._sibling_is_recorded.wait, place=places[0]),
            "1": self._do_sibling(places[1]),
        })  # fmt: skip
        await self._do("model/2")
        return await self._finish()

    async def _do_sibling(self, place: Place) -> None:
        try:
            await self._do("tool/1", place=place)
        finally:
            self._sibling_is_recorded.set()

    async def _do(
        self,
        key: str,
        *,
        during: Callable[[], Awaitable[Any]] | None = None,
        place: Place | None = None,
    ) -> None:
        async def work() -> str:
            self._note(key)
            if during is not None:
                await during()
            if self._stops == "slowly":
                await asyncio.sleep(_SLOWLY_S)
            await self._stop(f"in {key}")
            return self._body._name

        await self._tell(key)
        await self._journal.step(key, work, form=JSON, place=place)
        await self._stop(f"after {key}")

    async def _finish(self) -> AgentResult:
        async def work() -> AgentResult:
            self._note("finish")
            await self._stop("in finish")
            return AgentResult(success=True, content="done", run_id=self._journal.run_id)

        result = await self._journal.step("finish", work, form=RESULT)
        await self._stop("after finish")
        return result

    async def _tell(self, key: str) -> None:
        seq, run_id = _SEQ_BEFORE.get(key, 0), self._journal.run_id
        if seq > self._journal.last_seq:
            await self._journal.publish(TextDelta(key, run_id=run_id, seq=seq))

    def _note(self, key: str) -> None:
        self._body.note(self._journal.run_id, key)
        say("in", self._journal.run_id, key)

    async def _stop(self, place: str) -> None:
        await self._body.stop_at(self._stops, place, self._journal.run_id)


async def main(url: str, log: str, name: str, settings: str = "{}") -> None:
    """Work until there are no more commands."""
    body = Body(Path(log), name)
    journals = journals_at(url, **json.loads(settings))
    await journals.start(body)
    say("ready")
    try:
        while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
            command, _, rest = line.partition(" ")
            run_id, _, prompt = rest.partition(" ")
            try:
                if command == "submit":
                    await journals.submit(AgentCommand(user_prompt=prompt), run_id=run_id)
                elif command == "slowly":
                    asked = AgentCommand(user_prompt="slowly", tenant_id=prompt)
                    await journals.submit(asked, run_id=run_id, queue="slow")
                elif command == "later":
                    due = datetime.now(UTC) + timedelta(seconds=float(prompt))
                    later = AgentCommand(user_prompt="")
                    await journals.submit(later, run_id=run_id, not_before=due)
                elif command == "begin":
                    await journals.begin(AgentCommand(user_prompt=prompt), run_id=run_id)
                elif command == "cancel":
                    await journals.cancel(run_id)
                elif command == "go_on":
                    body.may_go_on.set()
                elif command == "result":
                    found = (await journals.find(run_id)).outcome
                    code = found.error_code if isinstance(found, AgentResult) else found.state
                    say("result", run_id, str(code))
            except ArcError as error:
                say("failed", type(error).__name__)
    finally:
        await journals.aclose()
        say("closed")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))  # noqa: TID251 -- the process is its own
