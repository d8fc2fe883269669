"""Events: every reader gets each of them once, in order, whenever it comes."""

import asyncio
import json
from random import Random

import pytest

from arc_core.command import AgentCommand
from arc_core.errors import AgentErrorCode, UnknownRunError
from arc_core.events import AgentEvent, RunFinished, TextDelta, ToolCallFinished
from arc_core.forms import to_json
from arc_core.messages import AssistantMessage, ToolCall, ToolResult, ToolResultMessage, UserMessage
from arc_core.result import AgentResult
from arc_core.runs.store import RunStore
from arc_core.testing.conformance.components import call_together
from arc_core.testing.conformance.run_journal.rules import (
    Attempt,
    NotingBody,
    RunJournalRules,
    by,
    command,
    decide_to_end,
    end_of,
    finish,
    jitter,
    read,
    run_to_end,
    run_to_rest,
    taking_runs,
)

_PIECES = 60
_TURNS = 100
_SAID_CHARS = 5_000


class EventRules(RunJournalRules):
    """Tests of the events of a run, for its readers."""

    async def test_every_reader_gets_each_event_once(self) -> None:
        """In order: from the first on or later, while the run goes on or after it."""

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            for piece in range(_PIECES):
                await attempt.tell(f"piece {piece}")
                await jitter(piece % 3)

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await journals.submit(command(), run_id="r")
            begins = [0, 1, _PIECES // 2, _PIECES]
            found = await call_together(read(journals, "r", after=after) for after in begins)
            result = await end_of(journals, "r")
            late = await read(journals, "r", after=7)

        for after, events in zip([*begins, 7], [*found, late], strict=True):
            numbers = [event.seq for event in events]
            assert numbers == list(range(after + 1, _PIECES + 2)), f"after {after}: {numbers}"
            assert events[-1] == RunFinished(result)

    async def test_events_go_on_where_the_reader_was(self) -> None:
        """A run that waits ends its readers; after the decision they read the rest."""

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            for piece in range(3):
                await attempt.tell(f"piece {piece}")
            await attempt.ask()
            for piece in range(3, 6):
                await attempt.tell(f"piece {piece}")

        body = NotingBody(acts)
        async with taking_runs(self.make_journals(), body) as journals:
            await run_to_rest(journals, "r")
            before = await read(journals, "r")
            await journals.decide("r", "approve/0", by("ann"))
            after = await read(journals, "r", after=before[-1].seq)
            whole = await read(journals, "r")

        assert [each.seq for each in before] == [1, 2, 3]
        assert [each.seq for each in after] == [4, 5, 6, 7], "an attempt's events came again"
        assert whole == [*before, *after]
        assert body.last_seqs == [0, 3], "an attempt does not know what was told before it"

    async def test_events_of_runs_below_stand_among_those_of_the_run(self) -> None:
        """They have numbers of their own, and come after the event of the run they follow."""

        def below(seq: int) -> AgentEvent:
            return TextDelta("below", run_id="inner", seq=seq)

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            await attempt.tell("one")
            await attempt.publish(below(1))
            await attempt.tell("two")
            await attempt.publish(below(2))
            await attempt.publish(below(3))

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await run_to_end(journals, "r")
            whole = [(each.run_id, each.seq) for each in await read(journals, "r")]
            rest = [(each.run_id, each.seq) for each in await read(journals, "r", after=2)]

        inner, end = [("inner", 2), ("inner", 3)], ("r", 3)
        assert whole == [("r", 1), ("inner", 1), ("r", 2), *inner, end]
        assert rest == [*inner, end]

    async def test_an_attempt_knows_what_runs_below_have_told(self) -> None:
        """So the events of a run below, which its step was cut off from, get no number twice."""
        found: list[list[int]] = []

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            get_last_seq = attempt.journal.get_last_seq
            found.append([await get_last_seq(run_id) for run_id in ("inner", "other", "silent")])
            await attempt.tell("one")
            for run_id, seq in (("inner", 1), ("other", 1), ("inner", 2)):
                await attempt.publish(TextDelta("below", run_id=run_id, seq=seq))
            await attempt.ask()

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await run_to_rest(journals, "r")
            await decide_to_end(journals, "r")

        assert found == [[0, 0, 0], [2, 1, 0]]

    async def test_what_a_step_tells_is_there_once_the_step_is_recorded(self) -> None:
        """A reader of a waiting run has all that was told before it asked."""

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            async def tell() -> None:
                for piece in range(_PIECES):
                    await attempt.tell(f"piece {piece}")

            await attempt.do("model/1", during=tell)
            await attempt.ask()

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await run_to_rest(journals, "r")
            events = await read(journals, "r")

        assert [event.seq for event in events] == list(range(1, _PIECES + 1))

    async def test_readers_of_a_cancelled_run_are_told(self) -> None:
        """Its last event is `RunFinished` with `CANCELLED`, and it follows what was told."""

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            await attempt.tell("one")
            await attempt.do("model/1", during=asyncio.Event().wait)

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await journals.submit(command(), run_id="r")
            reader = asyncio.ensure_future(read(journals, "r"))
            await _first_event(journals, "r")
            await journals.cancel("r")
            first, last = await reader

        assert (first.seq, last.seq) == (1, 2)
        assert isinstance(last, RunFinished), f"the last event is {last!r}"
        assert last.result.error_code is AgentErrorCode.CANCELLED

    async def test_results_come_with_their_messages(self) -> None:
        """That of the run, and the one with which its events end."""
        messages = (
            UserMessage("Ask."),
            AssistantMessage("", tool_calls=(ToolCall("c", "find", "{}"),)),
            ToolResultMessage((_tool_text("c"), _tool_text("d"))),
            AssistantMessage("Done."),
        )

        async def acts(attempt: Attempt, _: AgentCommand) -> AgentResult:
            await _call(attempt, "tool/0", _tool_text("c"))
            await _call(attempt, "tool/1", _tool_text("d"))
            return await attempt.finish(messages=messages)

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            result = await run_to_end(journals, "r")
            last = (await read(journals, "r"))[-1]

        assert result.messages == messages
        assert last == RunFinished(result)

    async def test_what_tools_say_is_kept_once(self) -> None:
        """100 turns of 5 KB take little room, also with their events and the messages."""
        said = [_tool_text(f"c{turn}") for turn in range(_TURNS)]

        async def acts(attempt: Attempt, _: AgentCommand) -> AgentResult:
            for turn, result in enumerate(said):
                await _call(attempt, f"tool/{turn}", result)
            return await attempt.finish(messages=(ToolResultMessage(tuple(said)),))

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await run_to_end(journals, "r")
            events = await read(journals, "r")
            kept = await self.kept_bytes(journals)

        finished = [each.result for each in events if isinstance(each, ToolCallFinished)]
        assert finished == said
        assert kept is None or kept <= self.max_journal_bytes, f"the run takes {kept} bytes"

    async def test_an_unknown_run_has_no_events(self) -> None:
        """It is an error, not an empty run."""
        async with taking_runs(self.make_journals(), NotingBody(finish)) as journals:
            with pytest.raises(UnknownRunError):
                await read(journals, "nothing")

    async def test_a_reader_can_leave(self) -> None:
        """The run goes on without it."""
        may_end = asyncio.Event()

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            await attempt.tell("one")
            await attempt.do("model/1", during=may_end.wait)

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await journals.submit(command(), run_id="r")
            await _first_event(journals, "r")
            may_end.set()
            result = await end_of(journals, "r")

        assert result.success


def _tool_text(call_id: str) -> ToolResult:
    """Return the text of a tool, always the same and hardly to be compressed."""
    random = Random(call_id)  # noqa: S311 -- to be repeated
    return ToolResult(call_id, "find", random.randbytes(_SAID_CHARS // 2).hex())


async def _call(attempt: Attempt, key: str, result: ToolResult) -> None:
    async def work() -> None:
        await attempt.publish(
            ToolCallFinished(result, 1.5, run_id=attempt.run_id, seq=attempt.next_seq)
        )

    await attempt.do(key, {"value": json.loads(to_json(result))}, during=work)


async def _first_event(journals: RunStore, run_id: str) -> AgentEvent:
    events = journals.events(run_id)
    try:
        return await anext(events)
    finally:
        await events.aclose()
