"""Decisions of people: asked once, decided once, kept until the run has read them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from arc_core.command import AgentCommand
from arc_core.errors import DecisionError, UnknownRunError
from arc_core.requests import Answer, Approve, Decision, Deny, QuestionRequest
from arc_core.result import AgentResult
from arc_core.runs.journal import RunSuspended
from arc_core.runs.requests import find_requests
from arc_core.runs.store import Capability, RunState, RunStore, Waiting
from arc_core.testing.conformance.components import call_together
from arc_core.testing.conformance.run_journal.rules import (
    Attempt,
    NotingBody,
    RunJournalRules,
    by,
    command,
    decide_to_end,
    end_of,
    rest_of,
    run_to_end,
    run_to_rest,
    taking_runs,
)

_SINCE = datetime(2026, 1, 31, 12, 30, 15, 250_000, tzinfo=UTC)
_HASH = "0f" * 32


class _Asking(NotingBody):
    """A body that asks once, and notes what it is told."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(self._act)
        self.decisions: list[Decision] = []
        self._fields = fields

    async def _act(self, attempt: Attempt, asked: AgentCommand) -> AgentResult:
        mine: dict[str, Any] = {"user_id": asked.user_id, "summary": asked.user_prompt}
        self.decisions.append(await attempt.ask(**{**mine, **self._fields}))
        return await attempt.finish()


class DecisionRules(RunJournalRules):
    """Tests of runs that wait for people."""

    async def test_a_run_that_asks_waits(self) -> None:
        """`find` and `list` show the request as it was asked."""
        arguments = {"amount": 12.5, "to": ["bob", None], "note": "Zahlung für März"}
        until = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
        body = _Asking(
            arguments=arguments, agent="clerk", tenant_id="acme", since=_SINCE, until=until,
            arguments_hash=_HASH,
        )  # fmt: skip
        async with taking_runs(self.make_journals(), body) as journals:
            found = await run_to_rest(journals, "r", command("pay Bob"))
            (asked,) = await find_requests(journals)

        assert found == Waiting(run_id="r", state=RunState.WAITING, requests=(asked,))
        assert (asked.run_id, asked.key, asked.tool) == ("r", "approve/0", "pay")
        assert (asked.arguments, asked.agent, asked.user_id) == (arguments, "clerk", "ann")
        assert (asked.tenant_id, asked.summary) == ("acme", "pay Bob")
        assert (asked.since, asked.until, asked.arguments_hash) == (_SINCE, until, _HASH)

    @pytest.mark.parametrize(
        "answer", [Approve(), Approve({"amount": 5, "to": ["é", None]}), Deny(), Deny("too much")]
    )
    async def test_the_run_reads_what_was_decided(self, answer: Approve | Deny) -> None:
        """Changed arguments and reasons, who it was and when."""
        decision = Decision(answer=answer, by="bob", at=_SINCE, arguments_hash=_HASH)
        body = _Asking(arguments_hash=_HASH)
        async with taking_runs(self.make_journals(), body) as journals:
            await _ask(journals, "r")
            await decide_to_end(journals, "r", decision)
            left = await find_requests(journals)

        assert body.decisions == [decision], "the decision has changed in the journal"
        assert list(left) == [], "the request is still shown"

    async def test_a_question_is_answered(self) -> None:
        """Its schema and its answer are kept as they are, and an approval is none."""
        schema = {"type": "object", "properties": {"größe": {"type": "integer", "minimum": 1}}}
        body = _Asking(kind=QuestionRequest, text="Which size?", schema=schema)
        answer = Decision(answer=Answer({"größe": 40, "x": [None]}), by="ann", at=_SINCE)
        async with taking_runs(self.make_journals(), body) as journals:
            await _ask(journals, "r")
            (request,) = await find_requests(journals)
            with pytest.raises(DecisionError, match="Answer or Deny"):
                await journals.decide("r", "approve/0", by("ann"))
            await decide_to_end(journals, "r", answer)

        assert isinstance(request, QuestionRequest)
        assert (request.text, request.schema) == ("Which size?", schema)
        assert body.decisions == [answer], "the answer has changed in the journal"

    async def test_the_first_decision_counts(self) -> None:
        """Of two at once one wins, and the other one is told who that was."""
        told: list[str] = []

        async def approve(journals: RunStore, name: str) -> None:
            try:
                await journals.decide("r", "approve/0", by(name))
            except DecisionError as error:
                told.append(error.problem)

        body = _Asking()
        async with taking_runs(self.make_journals(), body) as journals:
            await _ask(journals, "r")
            await call_together(approve(journals, name) for name in ("ann", "bob"))
            await end_of(journals, "r")
            await approve(journals, "eve")

        winner = body.decisions[0].by
        assert winner in {"ann", "bob"}
        assert len(told) == 2, "more than one decision was taken"
        assert all(winner in problem for problem in told), f"it is not told who decided: {told}"

    async def test_a_decision_is_bound_to_the_arguments(self) -> None:
        """One for other arguments is refused, and the run still waits."""
        body = _Asking(arguments_hash=_HASH)
        async with taking_runs(self.make_journals(), body) as journals:
            await _ask(journals, "r")
            others = Decision(answer=Approve(), by="bob", at=_SINCE, arguments_hash="00" * 32)
            with pytest.raises(DecisionError):
                await journals.decide("r", "approve/0", others)
            found = (await journals.find("r")).outcome

        assert isinstance(found, Waiting)
        assert (found.state, len(found.requests)) == (RunState.WAITING, 1)

    async def test_what_was_not_asked_cannot_be_decided(self) -> None:
        """Neither another call, nor a call of a run that does not exist."""
        async with taking_runs(self.make_journals(), _Asking()) as journals:
            await _ask(journals, "r")
            with pytest.raises(DecisionError):
                await journals.decide("r", "approve/1", by("bob"))
            with pytest.raises(UnknownRunError):
                await journals.decide("nothing", "approve/0", by("bob"))

    async def test_each_call_is_decided_for_itself(self) -> None:
        """A run that asks twice goes on in between, and asks nothing again."""

        async def acts(attempt: Attempt, _: AgentCommand) -> AgentResult:
            first = await attempt.ask("approve/0", since=datetime.now(UTC))
            second = await attempt.ask("approve/1", since=datetime.now(UTC))
            return await attempt.finish(f"{first.by} {second.by}")

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await _ask(journals, "r")
            await journals.decide("r", "approve/0", by("ann"))
            waiting = await rest_of(journals, "r")
            await journals.decide("r", "approve/1", by("bob"))
            result = await end_of(journals, "r")

        assert isinstance(waiting, Waiting)
        assert [request.key for request in waiting.requests] == ["approve/1"]
        assert result.content == "ann bob"

    async def test_a_request_expires(self) -> None:
        """It is denied by itself, by `expiry`, and the run goes on."""
        until = datetime.now(UTC) + timedelta(seconds=0.2)
        body = _Asking(until=until)
        async with taking_runs(self.make_journals(), body) as journals:
            await run_to_end(journals, "r")

        (decision,) = body.decisions
        assert isinstance(decision.answer, Deny)
        assert decision.by == "expiry"
        assert decision.at >= until, "it has expired before its time"

    async def test_requests_are_found_by_their_fields(self) -> None:
        """Oldest first; all filters hold, and what waits for others is not shown."""

        async def acts(attempt: Attempt, asked: AgentCommand) -> None:
            since = _SINCE + timedelta(seconds=int(asked.user_prompt))
            tool = "pay" if int(asked.user_prompt) % 2 else "send"
            await attempt.ask(since=since, tool=tool, user_id=asked.user_id or "")

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            for number in (3, 1, 2, 0):
                await _ask(journals, f"r{number}", str(number))
            everything = [each.run_id for each in await find_requests(journals)]
            paying = [
                each.run_id
                for each in await find_requests(journals, {"tool": "pay", "user_id": "ann"})
            ]
            one = [each.run_id for each in await find_requests(journals, {"run_id": "r2"})]
            none = list(await find_requests(journals, {"tool": "pay", "user_id": "bob"}))

        assert everything == ["r0", "r1", "r2", "r3"], "requests are not sorted by age"
        assert (paying, one, none) == (["r1", "r3"], ["r2"], [])

    async def test_two_people_approve(self) -> None:
        """The first approval is kept beside the request, and the run goes on after the second.

        The same person is not counted twice, and is told so.
        """
        body = _Asking(people=2, deciders=("finance",))
        first = by("ann", Approve({"amount": 5}))
        async with taking_runs(self.make_journals(), body) as journals:
            await _ask(journals, "r")
            await journals.decide("r", "approve/0", first)
            waiting = await rest_of(journals, "r")
            for name in ("ann", " Ann"):
                with pytest.raises(DecisionError, match="ann has approved it already"):
                    await journals.decide("r", "approve/0", by(name, first.answer))
            await decide_to_end(journals, "r", by("bob", first.answer))

        assert isinstance(waiting, Waiting)
        assert [each.approvals for each in waiting.requests] == [(first,)]
        assert [each.deciders for each in waiting.requests] == [("finance",)]
        (decision,) = body.decisions
        assert (decision.by, decision.answer, decision.approvals) == ("bob", first.answer, (first,))

    async def test_two_people_approve_the_same(self) -> None:
        """An approval of other arguments than the first one's is refused, and a denial counts."""
        body = _Asking(people=2)
        async with taking_runs(self.make_journals(), body) as journals:
            await _ask(journals, "r")
            await journals.decide("r", "approve/0", by("ann", Approve({"amount": 5})))
            with pytest.raises(DecisionError, match="other arguments"):
                await journals.decide("r", "approve/0", by("bob"))
            await decide_to_end(journals, "r", by("bob", Deny("too much")))

        assert [(each.by, each.answer) for each in body.decisions] == [("bob", Deny("too much"))]

    async def test_of_two_approvals_at_once_both_count(self) -> None:
        """Neither is lost, however they meet."""
        body = _Asking(people=2)
        async with taking_runs(self.make_journals(), body) as journals:
            await _ask(journals, "r")
            await call_together(
                journals.decide("r", "approve/0", by(name)) for name in ("ann", "bob")
            )
            await end_of(journals, "r")

        (decision,) = body.decisions
        assert {decision.by, *(each.by for each in decision.approvals)} == {"ann", "bob"}

    async def test_an_approval_outlives_its_process(self) -> None:
        """The second person approves in other journals, after the end of the first ones."""
        self.skip_unless_kept()
        body = _Asking(people=2)
        async with taking_runs(self.make_journals(), body) as journals:
            await _ask(journals, "r")
            await journals.decide("r", "approve/0", by("ann"))
        async with taking_runs(self.reopen(), body) as journals:
            with pytest.raises(DecisionError, match="ann has approved it already"):
                await journals.decide("r", "approve/0", by("ann"))
            await decide_to_end(journals, "r", by("bob"))

        assert [each.by for each in body.decisions[-1].approvals] == ["ann"]

    async def test_a_late_decider_reads_who_was_first(self) -> None:
        """In the same words in every journal."""
        async with taking_runs(self.make_journals(), _Asking(arguments_hash=_HASH)) as journals:
            await _ask(journals, "r")
            problems = [await _find_problem(journals, by("eve"), key="approve/7")]
            others = Decision(answer=Approve(), by="eve", at=_SINCE, arguments_hash="00" * 32)
            problems.append(await _find_problem(journals, others))
            made = by("ann", Deny())
            await journals.decide("r", "approve/0", made)
            problems.append(await _find_problem(journals, by("eve")))
            await end_of(journals, "r")

        assert problems == [
            "it was not asked for",
            "its arguments are not those that were decided on; look at the request again",
            f"ann has denied it already, at {made.at.isoformat()}",
        ]

    async def test_a_run_of_its_caller_goes_on(self) -> None:
        """Of journals that `execute` runs with itself, the attempt after the decision is theirs."""
        journals, body = self.make_journals(), _Asking()
        if Capability.KEEPS in journals.capabilities:
            pytest.skip("these journals take every run: they have no open()")
        async with taking_runs(journals, body):
            place = journals.open(command(), run_id="r", deps="mine")
            with pytest.raises(RunSuspended):
                await body(command(), place)
            asked = await rest_of(journals, "r")
            result = await decide_to_end(journals, "r")

        assert isinstance(asked, Waiting)
        assert (result.success, body.deps) == (True, ["mine", "mine"])


async def _ask(journals: RunStore, run_id: str, prompt: str = "pay") -> None:
    waiting = await run_to_rest(journals, run_id, command(prompt))
    assert isinstance(waiting, Waiting), f"the run has not waited: {waiting!r}"


async def _find_problem(journals: RunStore, decision: Decision, key: str = "approve/0") -> str:
    with pytest.raises(DecisionError) as caught:
        await journals.decide("r", key, decision)
    return caught.value.problem
