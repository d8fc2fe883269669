"""The suite for journals fails for journals that break their contract, each by its test."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import AgentCommand, AgentErrorCode, Decision, NumberedEvent, RunStore
from arc_core.log import get_logger
from arc_core.runs.store import RunState, RunSummary
from arc_core.testing.conformance.run_journal import RunJournalSuite
from arc_plugins.journals.in_memory import journals as in_memory
from arc_plugins.journals.in_memory.journal import InMemoryRunJournal
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals


class ForgetfulJournal(InMemoryRunJournal):
    """Records nothing."""

    async def step(self, key: str, work: Any, **options: Any) -> Any:
        return await work()


class PositionalJournal(InMemoryRunJournal):
    """Takes the order in which steps begin for their keys."""

    begun = 0

    async def step(self, key: str, work: Any, **options: Any) -> Any:
        self.begun += 1
        return await super().step(f"step/{self.begun}", work, **options)


class ShortKeyJournal(InMemoryRunJournal):
    """Takes all steps below a call for one."""

    async def step(self, key: str, work: Any, **options: Any) -> Any:
        return await super().step(key[:7], work, **options)


class RepeatingJournal(InMemoryRunJournal):
    """Does not say what earlier attempts have told."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.last_seq = 0


class NamelessJournal(InMemoryRunJournal):
    """Its attempts are all called the same."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.attempt_id = "life"


class LastDecisionJournals(InMemoryRunJournals):
    """The last decision counts."""

    async def decide(self, run_id: str, key: str, decision: Decision) -> None:
        self._runs[run_id].decisions.pop(key, None)
        await super().decide(run_id, key, decision)


class CarelessJournals(InMemoryRunJournals):
    """Does not look at what was decided on."""

    async def decide(self, run_id: str, key: str, decision: Decision) -> None:
        await super().decide(run_id, key, replace(decision, arguments_hash=""))


class EarlyJournals(InMemoryRunJournals):
    """Runs everything at once, in any queue, and whatever was asked before."""

    async def submit(self, command: AgentCommand, *, run_id: str, **options: Any) -> None:
        self._runs.pop(run_id, None)
        await super().submit(command, run_id=run_id)


class UnfilteredJournals(InMemoryRunJournals):
    """Shows all that waits, whatever is asked for."""

    async def list(self, **asked: Any) -> Sequence[RunSummary]:
        return await super().list(**{**asked, "requests": {}})


class WholeJournals(InMemoryRunJournals):
    """Tells every reader everything."""

    def events(self, run_id: str, *, after: int = 0) -> AsyncGenerator[NumberedEvent]:
        return super().events(run_id)


class FailingJournals(InMemoryRunJournals):
    """Takes a cancelled run for a failure."""

    async def cancel(self, run_id: str) -> None:
        await super().cancel(run_id)
        run = self._runs[run_id]
        if run.result is not None:
            run.result = replace(run.result, error_code=AgentErrorCode.UNKNOWN)


class SharingJournals(InMemoryRunJournals):
    """Takes a conversation of any user for the one that is meant, whatever has ended in it."""

    async def running_in(
        self, session_id: str, *, user_id: str | None, tenant_id: str | None
    ) -> str | None:
        same = (run for run in self._runs.values() if run.command.session_id == session_id)
        return next((run.run_id for run in same), None)


class VagueJournals(InMemoryRunJournals):
    """Does not say how far a run is, and knows every run."""

    async def find(self, run_id: str) -> RunSummary:
        known = self._runs.get(run_id, next(iter(self._runs.values()), None))
        if known is None:
            return RunSummary(run_id=run_id, state=RunState.QUEUED, since=datetime.now(UTC))
        return replace(await super().find(known.run_id), last_seq=None)


class SuiteFor(RunJournalSuite):
    """The suite, applied to one wrong implementation."""

    __test__ = False
    jittered_runs = 50

    def __init__(self, journals: type[InMemoryRunJournals]) -> None:
        self._journals = journals

    def make_journals(self) -> RunStore:
        return self._journals(logger=get_logger("journals"))


@pytest.mark.parametrize(
    ("journal", "test"),
    [
        (ForgetfulJournal, "test_a_recorded_step_is_not_done_again"),
        (ForgetfulJournal, "test_a_step_that_is_under_way_is_recorded_though_its_sibling_waits"),
        (NamelessJournal, "test_a_recorded_step_is_not_done_again"),
        (PositionalJournal, "test_parallel_steps_keep_their_results"),
        (ShortKeyJournal, "test_steps_of_runs_below_are_apart"),
        (RepeatingJournal, "test_events_go_on_where_the_reader_was"),
    ],
)
async def test_a_wrong_journal_is_found(
    journal: type[InMemoryRunJournal], test: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each way to record a run wrongly fails the test that is about it."""
    monkeypatch.setattr(in_memory, "InMemoryRunJournal", journal)

    with pytest.raises(AssertionError):
        await getattr(SuiteFor(InMemoryRunJournals), test)()


@pytest.mark.parametrize(
    ("journals", "test"),
    [
        (LastDecisionJournals, "test_the_first_decision_counts"),
        (EarlyJournals, "test_a_run_submitted_twice_is_one_run"),
        (EarlyJournals, "test_a_run_begins_at_its_time"),
        (EarlyJournals, "test_a_queued_run_can_be_cancelled"),
        (EarlyJournals, "test_every_attempt_gets_the_deps"),
        (UnfilteredJournals, "test_requests_are_found_by_their_fields"),
        (WholeJournals, "test_every_reader_gets_each_event_once"),
        (FailingJournals, "test_a_waiting_run_can_be_cancelled"),
        (SharingJournals, "test_the_newest_run_of_a_conversation_is_found"),
        (SharingJournals, "test_the_runs_of_others_are_not_found"),
        (VagueJournals, "test_a_run_is_found_with_its_owner"),
        (VagueJournals, "test_a_finished_run_is_found"),
    ],
)
async def test_wrong_journals_are_found(journals: type[InMemoryRunJournals], test: str) -> None:
    """Each way to keep runs wrongly fails the test that is about it."""
    with pytest.raises(AssertionError):
        await getattr(SuiteFor(journals), test)()


@pytest.mark.parametrize(
    ("journals", "test"),
    [
        (CarelessJournals, "test_a_decision_is_bound_to_the_arguments"),
        (EarlyJournals, "test_another_command_cannot_have_the_id_of_a_run"),
        (EarlyJournals, "test_an_unknown_queue_is_refused"),
        (VagueJournals, "test_an_unknown_run_is_not_found"),
    ],
)
async def test_what_is_not_refused_is_found(journals: type[InMemoryRunJournals], test: str) -> None:
    """A decision, a command or a queue that has to be an error."""
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        await getattr(SuiteFor(journals), test)()
