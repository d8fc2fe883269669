"""Abilities that not every store has: to find runs for servers, and to have the records of runs.

A run is found with its owner and how far it is, and by the conversation in which it goes on. A
record has what steps have recorded and the parts that they name; a fork takes over both.
"""

import asyncio
import json
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from arc_core.command import AgentCommand
from arc_core.errors import UnknownRunError
from arc_core.runs.journal import RecordedPart
from arc_core.runs.requests import find_requests
from arc_core.runs.store import Capability, RunQuery, RunState, RunStore
from arc_core.testing.conformance.run_journal.rules import (
    Acts,
    Attempt,
    NotingBody,
    RunJournalRules,
    ask_and_finish,
    by,
    command,
    decide_to_end,
    end_of,
    finish,
    rest_of,
    run_to_end,
    run_to_rest,
    taking_runs,
)

_BELOW = RecordedPart("b" * 64, '"below"')
_PARTS = (RecordedPart("a" * 64, '"one"'), RecordedPart("c" * 64, '["b"]', (_BELOW,)))
_KEPT = {"a" * 64: "one", "b" * 64: "below", "c" * 64: ["b"]}
_STEPS = {"enter": {"prompt": "pay"}, "model/1": [1, None, "한글"], "tool/0": "tool/0"}
_SESSIONS = ("s", 's" or "', "50%_\\", "Gespräch 수표", "a\nb")


def _command_in(session_id: str | None = "s", **fields: Any) -> AgentCommand:
    """The command of a run in a conversation."""
    asked: dict[str, Any] = {"user_prompt": "pay", "user_id": "ann", "tenant_id": "acme", **fields}
    return AgentCommand(session_id=session_id, **asked)


async def _find_running(journals: RunStore, session_id: str = "s", **whose: Any) -> str | None:
    whose = {"user_id": "ann", "tenant_id": "acme", **whose}
    return await journals.running_in(session_id, **whose)


async def _record_parts(attempt: Attempt, _: AgentCommand) -> None:
    await attempt.do("enter", {"prompt": "pay"})
    attempt.journal.keep_parts(_PARTS)
    await attempt.do("model/1", [1, None, "한글"])
    await attempt.do("tool/0")


def _load(texts: Any) -> dict[str, Any]:
    return {key: json.loads(text) for key, text in texts.items() if key != "finish"}


class CapabilityRules(RunJournalRules):
    """Tests of what a store says that it can; others are not asked."""

    def find_runs(self, acts: Acts) -> AbstractAsyncContextManager[RunStore]:
        """Start new journals that find runs; the test is skipped if they do not."""
        return taking_runs(self.make_capable(Capability.LISTS, "finds no runs"), NotingBody(acts))

    async def test_a_run_is_found_with_its_owner(self) -> None:
        """With its conversation, what it waits for, and the number of its last event."""
        async with self.find_runs(ask_and_finish) as journals:
            await run_to_rest(journals, "r", _command_in(agent="clerk"))
            found = await journals.find("r")
            requests = await find_requests(journals)

        whose = (found.run_id, found.agent, found.session_id, found.user_id, found.tenant_id)
        assert whose == ("r", "clerk", "s", "ann", "acme")
        assert (found.state, found.last_seq, found.finished_at) == (RunState.WAITING, 1, None)
        assert list(found.requests) == list(requests)

    async def test_a_finished_run_is_found(self) -> None:
        """With the number of its end; it has no owner if the command has none."""
        async with self.find_runs(ask_and_finish) as journals:
            await run_to_rest(journals, "r", AgentCommand(user_prompt="pay"))
            await decide_to_end(journals, "r")
            found = await journals.find("r")

        assert (found.state, found.last_seq, found.error_code) == (RunState.FINISHED, 2, None)
        assert (found.session_id, found.user_id, found.tenant_id) == (None, "", None)
        assert list(found.requests) == []

    async def test_an_unknown_run_is_not_found(self) -> None:
        """It is an error, and not a run without anything."""
        async with self.find_runs(ask_and_finish) as journals:
            with pytest.raises(UnknownRunError):
                await journals.find("nothing")

    async def test_the_newest_run_of_a_conversation_is_found(self) -> None:
        """While it has no end; then the one before it, and none once all have ended."""
        found = []
        async with self.find_runs(ask_and_finish) as journals:
            for run in ("one", "two"):
                await run_to_rest(journals, run, _command_in())
            for run in ("two", "one"):
                found.append(await _find_running(journals))
                await decide_to_end(journals, run)
            found.append(await _find_running(journals))

        assert found == ["two", "one", None]

    async def test_a_running_run_of_a_conversation_is_found(self) -> None:
        """Not only one that waits for a person."""
        at_work, may_end = asyncio.Event(), asyncio.Event()

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            at_work.set()
            await may_end.wait()

        async with self.find_runs(acts) as journals:
            await journals.submit(_command_in(), run_id="r")
            await at_work.wait()
            found = await _find_running(journals)
            may_end.set()
            await end_of(journals, "r")

        assert found == "r"

    async def test_a_search_goes_through_the_runs_page_by_page(self) -> None:
        """Newest first, only what is asked for, and each of them once."""
        async with self.find_runs(finish) as journals:
            for number in range(5):
                user = "bob" if number == 2 else "ann"
                await run_to_end(journals, f"r{number}", _command_in(user_id=user))
            page = await journals.search(RunQuery(user_id="ann", limit=3))
            rest = await journals.search(RunQuery(user_id="ann", limit=3, after=page.next))

        assert [each.run_id for each in page.runs] == ["r4", "r3", "r1"]
        assert ([each.run_id for each in rest.runs], rest.next) == (["r0"], None)

    @pytest.mark.parametrize(
        ("asked", "found"),
        [
            ({"tenant_id": "acme"}, {"mine"}),
            ({"agent": "clerk"}, {"mine"}),
            ({"agent": "default"}, {"plain"}),
            ({"state": RunState.WAITING}, {"plain"}),
            ({"has_failed": False}, {"mine"}),
            ({"has_failed": True}, set[str]()),
            ({"sees": lambda run: run.user_id == "ann"}, {"mine"}),
        ],
    )
    async def test_a_search_finds_what_is_asked_for(
        self, asked: dict[str, Any], found: set[str]
    ) -> None:
        """By whose a run is, who was asked, and where it is."""
        async with self.find_runs(ask_and_finish) as journals:
            await journals.submit(_command_in(agent="clerk"), run_id="mine")
            await journals.submit(AgentCommand(user_prompt='"agent":"clerk"'), run_id="plain")
            for run in ("mine", "plain"):
                await rest_of(journals, run)
            await decide_to_end(journals, "mine", by("bob"))
            page = await journals.search(RunQuery(**asked))

        assert {each.run_id for each in page.runs} == found

    async def test_the_runs_of_others_are_not_found(self) -> None:
        """A conversation belongs to a user and a tenant; a prompt that names it is not one."""
        says_so = AgentCommand(user_prompt='"session_id":"t"', user_id="ann", tenant_id="acme")
        async with self.find_runs(ask_and_finish) as journals:
            await journals.submit(_command_in(), run_id="r")
            await journals.submit(says_so, run_id="other")
            others: list[dict[str, Any]] = [
                {"user_id": "bob"}, {"tenant_id": "else"}, {"session_id": "t"},
                {"user_id": None}, {"tenant_id": None},
            ]  # fmt: skip
            found = [await _find_running(journals, **each) for each in others]

        assert found == [None] * 5, "a run is found by another than its owner"

    @pytest.mark.parametrize("session_id", _SESSIONS)
    async def test_conversations_have_any_name(self, session_id: str) -> None:
        """Its characters are only characters; a user or a tenant may be missing."""
        nameless = AgentCommand(user_prompt="pay", session_id=session_id)
        async with self.find_runs(ask_and_finish) as journals:
            await journals.submit(_command_in(session_id), run_id="r")
            await journals.submit(nameless, run_id="nameless")
            found = await _find_running(journals, session_id)
            other = await _find_running(journals, session_id, user_id=None, tenant_id=None)

        assert (found, other) == ("r", "nameless")

    def record_runs(self, body: NotingBody) -> AbstractAsyncContextManager[RunStore]:
        """Start new journals that record each run; the test is skipped if they do not."""
        journals = self.make_capable(Capability.RECORDS, "has no records")
        journals.record_runs()
        return taking_runs(journals, body)

    async def test_a_run_is_recorded_with_its_parts(self) -> None:
        """Its command, what steps gave in the order of their ends, and the texts that they name."""
        async with self.record_runs(NotingBody(_record_parts)) as journals:
            await run_to_end(journals, "r")
            found = await journals.recording("r")

        assert (found.run_id, found.command) == ("r", command())
        assert [*found.steps] == ["enter", "model/1", "tool/0", "finish"]
        assert _load(found.steps) == _STEPS
        assert _load(found.parts) == _KEPT, "a part is missing that steps or other parts name"
        assert found.digest_key, "digests cannot be compared without their key"

    async def test_a_part_stays_for_as_long_as_a_run_names_it(self) -> None:
        """Whichever run was there first."""
        async with self.record_runs(NotingBody(_record_parts)) as journals:
            for run_id in ("one", "two"):
                await run_to_end(journals, run_id)
            await journals.forget("one")
            found = await journals.recording("two")
            with pytest.raises(UnknownRunError):
                await journals.recording("one")

        assert _load(found.parts) == _KEPT

    async def test_a_fork_begins_with_recorded_steps(self) -> None:
        """They are not done again, and the run whose steps they are stays as it is."""
        body = NotingBody(_record_parts)
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
        async with self.record_runs(NotingBody(_record_parts)) as journals:
            with pytest.raises(UnknownRunError):
                await journals.recording("nothing")
            with pytest.raises(UnknownRunError):
                await journals.fork("nothing", fork_id="f", steps=[], command=command())
