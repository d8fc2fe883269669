"""Steps: done once, recorded under their keys, whatever happens around them."""

import asyncio
from functools import partial
from random import Random
from typing import Any

from arc_core.command import AgentCommand
from arc_core.result import AgentResult
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS
from arc_core.testing.conformance.run_journal.rules import (
    JSON,
    Attempt,
    NotingBody,
    RunJournalRules,
    at_once,
    by,
    command,
    end_of,
    jitter,
    rest_of,
    run_to_end,
    run_with_approval,
    taking_runs,
)

_CALLS = 4
_TURNS = 100
_TURN = "x" * 5_000
_TEXTS = [text.encode("utf-8", "replace").decode() for text in HOSTILE_TEXTS.values()]


class StepRules(RunJournalRules):
    """Rules of every step that the engine relies on."""

    async def test_a_recorded_step_is_not_done_again(self) -> None:
        """A run that has waited goes on after its last step, under its id, in another life."""

        async def acts(attempt: Attempt, _: AgentCommand) -> AgentResult:
            first = await attempt.do("model/1", "first")
            await attempt.ask()
            second = await attempt.do("tool/0", "second")
            return await attempt.finish(f"{first} {second} of {attempt.run_id}")

        body = NotingBody(acts)
        async with taking_runs(self.make_journals(), body) as journals:
            result = await run_with_approval(journals)

        assert result.content == "first second of r"
        assert body.counts == {"model/1": 1, "tool/0": 1, "finish": 1}, "a step was done again"
        assert len(set(body.lives)) == len(body.lives) == 2, "attempts share a life"

    async def test_a_step_that_has_ended_is_found_again(self) -> None:
        """In the attempt that has taken it and in a later one, by journals that say they can."""
        found: list[object] = []

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            journal = attempt.journal
            await attempt.do("tool/0", "kept")
            known = "kept" if not journal.finds_again else None
            found.append(known or await journal.find_again("tool/0", form=JSON))
            found.append(await journal.find_again("tool/9", form=JSON))
            await attempt.ask()

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await run_with_approval(journals)

        assert found == ["kept", None] * 2, "a step was lost, or one is there that was not taken"

    async def test_values_come_back_as_they_were(self) -> None:
        """Whatever text they have; None, an empty text and false are values, too."""
        values: list[Any] = [*_TEXTS, False, 0, "", [], {"a": [1.5, None]}]
        found: list[list[Any]] = []

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            found.append([
                await attempt.journal.step(f"tool/{place}", partial(_give, value), form=JSON)
                for place, value in enumerate([*values, None])
            ])  # fmt: skip
            await attempt.ask()

        async with taking_runs(self.make_journals(), NotingBody(acts)) as journals:
            await run_with_approval(journals)

        assert found == [[*values, None]] * 2, "a value has changed in the journal"

    async def test_a_step_that_fails_is_not_recorded(self) -> None:
        """Its exception leaves as it is, and the next attempt does it again."""
        error = LookupError("no")
        raised: list[LookupError] = []

        async def fail() -> str:
            raise error

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            if not raised:
                try:
                    await attempt.journal.step("tool/0", fail, form=JSON)
                except LookupError as caught:
                    raised.append(caught)
            else:
                await attempt.do("tool/0")
            await attempt.ask()

        body = NotingBody(acts)
        async with taking_runs(self.make_journals(), body) as journals:
            result = await run_with_approval(journals)

        assert (raised, result.success) == ([error], True)
        assert body.counts["tool/0"] == 1, "a failure was recorded in the place of a value"

    async def test_steps_of_runs_below_are_apart(self) -> None:
        """Steps below `tool/3` are neither those of the run nor those below `tool/30`."""
        found: dict[str, Any] = {}
        keys = ["enter", "tool/3/enter", "tool/3/model/1", "tool/30/model/1", "tool/3/tool/3/enter"]

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            found.update({key: await attempt.do(key, f"of {key}") for key in keys})
            await attempt.ask("tool/3/approve/0")
            found["tool/3"] = await attempt.do("tool/3")

        body = NotingBody(acts)
        async with taking_runs(self.make_journals(), body) as journals:
            await run_with_approval(journals, "tool/3/approve/0")

        assert found == {**{key: f"of {key}" for key in keys}, "tool/3": "tool/3"}
        assert set(body.counts.values()) == {1}, "a step below a call was done again"

    async def test_parallel_steps_keep_their_results(self) -> None:
        """In whatever order calls of a turn begin and end, none gets another one's result."""
        body = NotingBody(_act_with_jitter)
        runs = [f"run-{number}" for number in range(self.jittered_runs)]
        async with taking_runs(self.make_journals(), body) as journals:
            for run in runs:
                await journals.submit(command(run), run_id=run)
            for run in runs:
                await rest_of(journals, run)
                await journals.decide(run, "approve/0", by("ann"))
            contents = {run: (await end_of(journals, run)).content for run in runs}

        wanted = {run: " ".join(f"{run}/{call}" for call in range(_CALLS)) for run in runs}
        assert contents == wanted, "a call has got the result of another one"
        assert set(body.counts.values()) == {len(runs)}, f"steps were repeated: {body.counts}"

    async def test_a_step_that_is_under_way_is_recorded_though_its_sibling_waits(self) -> None:
        """The run leaves when all calls of the turn have ended, and none of them is made again."""
        asked = asyncio.Event()

        async def call_and_ask(attempt: Attempt) -> None:
            try:
                await attempt.ask()
            finally:
                asked.set()

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            sibling = attempt.do("tool/1", during=asked.wait)
            await at_once({"asks": call_and_ask(attempt), "works": sibling})

        body = NotingBody(acts)
        async with taking_runs(self.make_journals(), body) as journals:
            await run_with_approval(journals)

        assert body.counts == {"tool/1": 1, "finish": 1}

    async def test_a_long_run_takes_little_room(self) -> None:
        """Records grow with what is new: 100 turns of 5 KB are 500 KB, not 25 MB."""

        async def acts(attempt: Attempt, _: AgentCommand) -> None:
            for turn in range(_TURNS):
                await attempt.do(f"model/{turn + 1}", _TURN)

        body = NotingBody(acts)
        async with taking_runs(self.make_journals(), body) as journals:
            result = await run_to_end(journals, "r")
            kept = await self.kept_bytes(journals)

        assert result.success
        assert kept is None or kept <= self.max_journal_bytes, f"the run takes {kept} bytes"


async def _act_with_jitter(attempt: Attempt, asked: AgentCommand) -> AgentResult:
    """A turn of calls with slow hooks, one of which waits for a person."""
    random = Random(f"{asked.user_prompt} {attempt.journal.attempt_id}")  # noqa: S311 -- to be repeated
    waits = Random(asked.user_prompt).randrange(_CALLS)  # noqa: S311 -- to be repeated
    places = [attempt.journal.reserve(f"tool/{number}") for number in range(_CALLS)]

    async def call(number: int, before: int, during: int) -> Any:
        await jitter(before)
        if number == waits:
            await attempt.ask()
        value, key = f"{attempt.run_id}/{number}", f"tool/{number}"
        return await attempt.do(key, value, during=partial(jitter, during), place=places[number])

    order = random.sample(range(_CALLS), _CALLS)
    calls = {
        f"{number}": call(number, random.randrange(6), random.randrange(6)) for number in order
    }
    results = await at_once(calls)
    return await attempt.finish(" ".join(results[f"{number}"] for number in range(_CALLS)))


async def _give(value: Any) -> Any:
    return value
