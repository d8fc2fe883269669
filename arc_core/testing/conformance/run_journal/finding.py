"""Runs that are found: whose they are, how far, and which one goes on in a conversation."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from arc_core.command import AgentCommand
from arc_core.errors import UnknownRunError
from arc_core.runs.requests import find_requests
from arc_core.runs.store import Capability, RunQuery, RunState, RunStore
from arc_core.testing.conformance.run_journal.rules import (
    Acts,
    Attempt,
    NotingBody,
    RunJournalRules,
    ask_and_finish,
    by,
    decide_to_end,
    end_of,
    finish,
    rest_of,
    run_to_end,
    run_to_rest,
    taking_runs,
)

_SESSIONS = ("s", 's" or "', "50%_\\", "Gespräch 수표", "a\nb")


def _command(session_id: str | None = "s", **fields: Any) -> AgentCommand:
    """The command of a run in a conversation."""
    asked: dict[str, Any] = {"user_prompt": "pay", "user_id": "ann", "tenant_id": "acme", **fields}
    return AgentCommand(session_id=session_id, **asked)


async def _find_running(journals: RunStore, session_id: str = "s", **whose: Any) -> str | None:
    whose = {"user_id": "ann", "tenant_id": "acme", **whose}
    return await journals.running_in(session_id, **whose)


class FindRules(RunJournalRules):
    """Tests of lookups for servers, if the store can list runs; others are not asked."""

    def find_runs(self, acts: Acts) -> AbstractAsyncContextManager[RunStore]:
        """Start new journals that find runs; the test is skipped if they do not."""
        return taking_runs(self.make_capable(Capability.LISTS, "finds no runs"), NotingBody(acts))

    async def test_a_run_is_found_with_its_owner(self) -> None:
        """With its conversation, what it waits for, and the number of its last event."""
        async with self.find_runs(ask_and_finish) as journals:
            await run_to_rest(journals, "r", _command(agent="clerk"))
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
                await run_to_rest(journals, run, _command())
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
            await journals.submit(_command(), run_id="r")
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
                await run_to_end(journals, f"r{number}", _command(user_id=user))
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
            await journals.submit(_command(agent="clerk"), run_id="mine")
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
            await journals.submit(_command(), run_id="r")
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
            await journals.submit(_command(session_id), run_id="r")
            await journals.submit(nameless, run_id="nameless")
            found = await _find_running(journals, session_id)
            other = await _find_running(journals, session_id, user_id=None, tenant_id=None)

        assert (found, other) == ("r", "nameless")
