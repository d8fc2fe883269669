"""Records of runs: what steps have recorded, the parts that they name, and forks of both."""

import json
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from arc_core.command import AgentCommand
from arc_core.errors import UnknownRunError
from arc_core.runs.journal import RecordedPart
from arc_core.runs.store import Capability, RunStore
from arc_core.testing.conformance.run_journal.rules import (
    Attempt,
    NotingBody,
    RunJournalRules,
    command,
    end_of,
    run_to_end,
    taking_runs,
)

_BELOW = RecordedPart("b" * 64, '"below"')
_PARTS = (RecordedPart("a" * 64, '"one"'), RecordedPart("c" * 64, '["b"]', (_BELOW,)))
_KEPT = {"a" * 64: "one", "b" * 64: "below", "c" * 64: ["b"]}


async def _act(attempt: Attempt, _: AgentCommand) -> None:
    await attempt.do("enter", {"prompt": "pay"})
    attempt.journal.keep_parts(_PARTS)
    await attempt.do("model/1", [1, None, "한글"])
    await attempt.do("tool/0")


def _load(texts: Any) -> dict[str, Any]:
    return {key: json.loads(text) for key, text in texts.items() if key != "finish"}


_STEPS = {"enter": {"prompt": "pay"}, "model/1": [1, None, "한글"], "tool/0": "tool/0"}


class RecordRules(RunJournalRules):
    """Rules of the record of a run, if the store has it; others are not asked."""

    def record_runs(self, body: NotingBody) -> AbstractAsyncContextManager[RunStore]:
        """Start new journals that record each run; the test is skipped if they do not."""
        journals = self.make_capable(Capability.RECORDS, "has no records")
        journals.record_runs()
        return taking_runs(journals, body)

    async def test_a_run_is_recorded_with_its_parts(self) -> None:
        """Its command, what steps gave in the order of their ends, and the texts that they name."""
        async with self.record_runs(NotingBody(_act)) as journals:
            await run_to_end(journals, "r")
            found = await journals.recording("r")

        assert (found.run_id, found.command) == ("r", command())
        assert [*found.steps] == ["enter", "model/1", "tool/0", "finish"]
        assert _load(found.steps) == _STEPS
        assert _load(found.parts) == _KEPT, "a part is missing that steps or other parts name"
        assert found.digest_key, "digests cannot be compared without their key"

    async def test_a_part_stays_for_as_long_as_a_run_names_it(self) -> None:
        """Whichever run was there first."""
        async with self.record_runs(NotingBody(_act)) as journals:
            for run_id in ("one", "two"):
                await run_to_end(journals, run_id)
            await journals.forget("one")
            found = await journals.recording("two")
            with pytest.raises(UnknownRunError):
                await journals.recording("one")

        assert _load(found.parts) == _KEPT

    async def test_a_fork_begins_with_recorded_steps(self) -> None:
        """They are not done again, and the run whose steps they are stays as it is."""
        body = NotingBody(_act)
        async with self.record_runs(body) as journals:
            await run_to_end(journals, "r")
            before = await journals.recording("r")
            other = command("again")
            await journals.fork("r", fork_id="f", steps=["enter", "model/1"], command=other)
            await end_of(journals, "f")
            fork = await journals.recording("f")
            after = await journals.recording("r")

        assert body.counts == {"enter": 1, "model/1": 1, "tool/0": 2, "finish": 2}
        assert (fork.command, _load(fork.steps), _load(fork.parts)) == (other, _STEPS, _KEPT)
        assert after == before

    async def test_an_unknown_run_has_no_record(self) -> None:
        """It is an error, for a fork as well."""
        async with self.record_runs(NotingBody(_act)) as journals:
            with pytest.raises(UnknownRunError):
                await journals.recording("nothing")
            with pytest.raises(UnknownRunError):
                await journals.fork("nothing", fork_id="f", steps=[], command=command())
