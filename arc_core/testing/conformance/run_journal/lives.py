"""Runs from their submission to their end: begun once, ended once, by whom it was said."""

import asyncio
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from pydantic import BaseModel

from arc_core.command import AgentCommand
from arc_core.errors import (
    AgentErrorCode,
    ConfigurationError,
    DecisionError,
    FormError,
    RunConflictError,
    UnknownRunError,
)
from arc_core.events import RunFinished
from arc_core.result import AgentResult
from arc_core.runs.journal import RunSuspended
from arc_core.runs.requests import find_requests
from arc_core.runs.store import RunState, RunStore, Waiting
from arc_core.testing.conformance.components import call_together, check_names
from arc_core.testing.conformance.run_journal.rules import (
    Attempt,
    NotingBody,
    RunJournalRules,
    ask_and_finish,
    by,
    command,
    decide_to_end,
    end_of,
    finish,
    read,
    rest_of,
    run_to_end,
    run_to_rest,
    taking_runs,
    until,
)


class Account(BaseModel):
    """The deps that a caller hands to its runs."""

    name: str
    balance: Decimal
    opened: datetime


_ACCOUNT = Account(name="ann", balance=Decimal("12.50"), opened=datetime(2026, 1, 31, tzinfo=UTC))
_SOON = timedelta(seconds=0.3)
_LATE = timedelta(days=1)


class LifeRules(RunJournalRules):
    """Tests of a run from its submission to its end."""

    async def test_they_are_run_journals(self) -> None:
        """They have the methods that the engine and the application call."""
        journals = self.make_journals()

        check_names(journals, RunStore)
        assert isinstance(journals, RunStore), f"{type(journals).__name__} lacks a method"

    async def test_a_run_submitted_twice_is_one_run(self) -> None:
        """While it goes on and after its end; at once, too."""
        body = NotingBody(finish)
        async with taking_runs(self.make_journals(), body) as journals:
            await call_together(journals.submit(command(), run_id="r") for _ in range(5))
            await end_of(journals, "r")
            result = await run_to_end(journals, "r")

        assert result.run_id == "r"
        assert (len(body.lives), body.counts["finish"]) == (1, 1), "one submission ran twice"

    async def test_another_command_cannot_have_the_id_of_a_run(self) -> None:
        """It is refused, and the run stays what it is."""
        async with taking_runs(self.make_journals(), NotingBody(finish)) as journals:
            await journals.submit(command("one"), run_id="r")
            with pytest.raises(RunConflictError):
                await journals.submit(command("another"), run_id="r")

            assert (await end_of(journals, "r")).success

    async def test_an_unknown_run_is_an_error(self) -> None:
        """For its result as for cancelling it."""
        async with taking_runs(self.make_journals(), NotingBody(finish)) as journals:
            with pytest.raises(UnknownRunError):
                await journals.find("nothing")
            with pytest.raises(UnknownRunError):
                await journals.cancel("nothing")

    async def test_an_unknown_queue_is_refused(self) -> None:
        """Before anything is kept."""
        async with taking_runs(self.make_journals(), NotingBody(finish)) as journals:
            with pytest.raises(ConfigurationError):
                await journals.submit(command(), run_id="r", queue="nothing-of-the-kind")
            with pytest.raises(UnknownRunError):
                await journals.find("r")

    async def test_a_run_begins_at_its_time(self) -> None:
        """Not before `not_before`; until then it is queued."""
        begun: list[datetime] = []

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            begun.append(datetime.now(UTC))

        due = datetime.now(UTC) + _SOON
        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await journals.submit(command(), run_id="r", not_before=due)
            found = (await journals.find("r")).outcome
            await end_of(journals, "r")

        assert found == Waiting(run_id="r", state=RunState.QUEUED) or begun[0] >= due
        assert begun[0] >= due, "the run has begun too early"

    async def test_the_command_and_the_result_stay_as_they_are(self) -> None:
        """The body gets the whole command, and the caller the whole result."""
        asked: list[AgentCommand] = []

        async def acts(attempt: Attempt, given: AgentCommand) -> AgentResult:
            asked.append(given)
            return await attempt.finish("Zahlung für März")

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            result = await run_to_end(journals, "r", command("pay"))

        assert asked == [command("pay")]
        assert result == AgentResult(success=True, content="Zahlung für März", run_id="r")

    async def test_every_attempt_gets_the_deps(self) -> None:
        """Return the deps of the caller, of their class; None if there are none."""
        body = NotingBody(ask_and_finish)
        async with taking_runs(self.make_journals(), body) as journals:
            for run, deps in (("with", _ACCOUNT), ("without", None)):
                await run_to_rest(journals, run, deps=deps)
                await decide_to_end(journals, run)

        assert body.deps == [_ACCOUNT, _ACCOUNT, None, None]

    async def test_what_cannot_be_kept_is_refused(self) -> None:
        """Deps or metadata without a form, when they are submitted; nothing of the run is kept."""
        self.skip_unless_kept()
        unkept = AgentCommand(user_prompt="pay", metadata={"connection": object()})
        async with taking_runs(self.make_journals(), NotingBody(finish)) as journals:
            with pytest.raises(FormError):
                await journals.submit(command(), run_id="r", deps=object())
            with pytest.raises(FormError):
                await journals.submit(unkept, run_id="r")
            with pytest.raises(UnknownRunError):
                await journals.find("r")

    async def test_a_body_that_raises_is_a_failure(self) -> None:
        """It should not; what it says is not for users."""

        async def acts(attempt: Attempt, _: AgentCommand) -> AgentResult:
            raise LookupError(f"secret of {attempt.run_id}")

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            result = await run_to_end(journals, "r")
            events = await read(journals, "r")

        assert (result.success, result.error_code) == (False, AgentErrorCode.UNKNOWN)
        assert "secret" not in (result.error_message or "")
        assert isinstance(events[-1], RunFinished)

    async def test_a_queued_run_can_be_cancelled(self) -> None:
        """At once, whatever its time: an attempt ends it, which does nothing else."""
        body, due = NotingBody(ask_and_finish), datetime.now(UTC) + _LATE
        async with taking_runs(self.make_journals(), body) as journals:
            await journals.submit(command(), run_id="r", not_before=due)
            await journals.cancel("r")
            await journals.cancel("r")
            result = await end_of(journals, "r")
            events = await read(journals, "r")

        _check_cancelled(result)
        assert body.counts == {"finish": 1}, "hooks are not told once of the end of the run"
        assert [(each.seq, type(each)) for each in events] == [(1, RunFinished)]

    async def test_a_waiting_run_can_be_cancelled(self) -> None:
        """It waits no more, and a decision comes too late."""
        body = NotingBody(ask_and_finish)
        async with taking_runs(self.make_journals(), body) as journals:
            await run_to_rest(journals, "r")
            await journals.cancel("r")
            result = await end_of(journals, "r")
            left = list(await find_requests(journals))
            with pytest.raises(DecisionError):
                await journals.decide("r", "approve/0", by("ann"))

        _check_cancelled(result)
        assert (left, body.last_seqs) == ([], [0, 1])
        assert body.counts == {"model/1": 1, "finish": 1}, "hooks are not told once of its end"

    async def test_a_running_run_can_be_cancelled(self) -> None:
        """Its attempt is cancelled, and sees that it is to end: its process does not let go."""
        at_work, is_closing = asyncio.Event(), []

        async def hang() -> None:
            at_work.set()
            await asyncio.Event().wait()

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            try:
                await attempt.do("model/1", during=hang)
            finally:
                is_closing.append(attempt.journal.is_closing)

        body = NotingBody(acts)
        async with taking_runs(self.make_journals(), body) as journals:
            await journals.submit(command(), run_id="r")
            await at_work.wait()
            await journals.cancel("r")
            result = await end_of(journals, "r")

        _check_cancelled(result)
        assert [type(left) for left in body.left] == [asyncio.CancelledError]
        assert is_closing == [False], "a cancelled run takes itself for one that goes on elsewhere"

    async def test_the_end_of_a_finished_run_stays(self) -> None:
        """Cancelling it changes nothing."""
        async with taking_runs(self.make_journals(), NotingBody(finish)) as journals:
            before = await run_to_end(journals, "r")
            await journals.cancel("r")
            after = (await journals.find("r")).outcome

        assert before.success
        assert after == before

    async def test_closing_lets_go(self) -> None:
        """A step may end and is the last one: the run leaves without an end, and goes on elsewhere.

        Elsewhere is in other journals, if they outlive the process.
        """
        body, gate = NotingBody(ask_and_finish), _Gate()
        journals = self.make_journals()
        leaving = NotingBody(gate.act)
        await journals.start(leaving)
        await journals.submit(command(), run_id="r")
        await gate.at_work.wait()
        closing = asyncio.ensure_future(journals.aclose())

        async def is_asked_to_leave() -> bool:
            return leaving.journals[0].is_closing

        await until(is_asked_to_leave)
        gate.may_end.set()
        await closing

        assert [type(left) for left in leaving.left] == [RunSuspended]
        assert leaving.counts == {"model/1": 1}, "a step was begun while the journals closed"
        if self.outlives_process:
            async with taking_runs(self.reopen(), body) as others:
                await rest_of(others, "r")
                result = await decide_to_end(others, "r")
            assert (result.success, body.counts) == (True, {"tool/0": 1, "finish": 1})

    async def test_a_run_that_waits_goes_on_in_another_process(self) -> None:
        """Its request, its events, its steps and its deps are there; a decision has it go on."""
        self.skip_unless_kept()
        first, second = NotingBody(ask_and_finish), NotingBody(ask_and_finish)
        async with taking_runs(self.make_journals(), first) as journals:
            waiting = await run_to_rest(journals, "r", deps=_ACCOUNT)
        async with taking_runs(self.reopen(), second) as others:
            found = await rest_of(others, "r")
            before = await read(others, "r")
            result = await decide_to_end(others, "r")
            events = await read(others, "r")

        assert (found, result.success) == (waiting, True)
        assert ([each.seq for each in before], [each.seq for each in events]) == ([1], [1, 2])
        assert (second.counts, second.deps) == ({"tool/0": 1, "finish": 1}, [_ACCOUNT])
        assert (first.lives[0] != second.lives[0], second.last_seqs) == (True, [1])

    async def test_a_queued_run_begins_in_another_process(self) -> None:
        """At its time, which may have come in between; a finished one stays finished."""
        self.skip_unless_kept()
        body, due = NotingBody(finish), datetime.now(UTC) + _SOON
        async with taking_runs(self.make_journals(), NotingBody(finish)) as journals:
            await run_to_end(journals, "finished")
            await journals.submit(command(), run_id="later", not_before=due + _SOON)
        async with taking_runs(self.reopen(), body) as others:
            results = [await end_of(others, run) for run in ("finished", "later")]

        assert [result.success for result in results] == [True, True]
        assert body.counts == {"finish": 1}

    async def test_closing_twice_does_no_harm(self) -> None:
        """The engine closes them, and the application does so again."""
        journals = self.make_journals()
        async with taking_runs(journals, NotingBody(finish)):
            await run_to_end(journals, "r")

        await journals.aclose()


class _Gate:
    """A run whose first step ends when the test says so."""

    def __init__(self) -> None:
        self.at_work, self.may_end = asyncio.Event(), asyncio.Event()

    async def act(self, attempt: Attempt, asked: AgentCommand) -> None:
        async def wait() -> None:
            self.at_work.set()
            await self.may_end.wait()

        await attempt.do("model/1", during=wait)
        await ask_and_finish(attempt, asked)


def _check_cancelled(result: AgentResult) -> None:
    assert (result.success, result.error_code) == (False, AgentErrorCode.CANCELLED)
