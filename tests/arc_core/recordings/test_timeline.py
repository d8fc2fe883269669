"""A recording as a timeline."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_autoconfig import Application
from arc_core import (
    AgentCommand,
    ApprovalRequested,
    Approve,
    RecordedStep,
    RunHistory,
    RunStore,
    ToolCall,
    ToolContext,
    tool,
)
from arc_core.errors import FormError
from arc_core.recordings import Timeline, format_step, make_timeline
from arc_core.runs.journal import Recording
from arc_core.testing import ScriptedChatModel


@tool
async def find_order(order: str) -> str:
    """Find an order."""
    return f"{order} is on its way."


@tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


def call(name: str, **arguments: Any) -> ToolCall:
    """A call of a model."""
    return ToolCall(name, name, json.dumps(arguments))


async def record(*turns: Any) -> Recording:
    """Record a run of a model that says this."""
    model = ScriptedChatModel(turns)
    app = Application(register=[model, find_order, pay], plugins=False, record=True)
    async with app:
        result = await app.execute(AgentCommand(user_prompt="Where is it?"))
        store: RunStore = app.component(RunStore)
        return await store.recording(result.run_id)


def without_times(steps: Mapping[str, str]) -> dict[str, str]:
    """The steps as earlier versions have recorded them."""
    own = {"started_at", "ended_at", "attempt"}
    return {
        name: json.dumps({key: each for key, each in json.loads(text).items() if key not in own})
        for name, text in steps.items()
    }


def rows(timeline: Timeline) -> list[tuple[str, int, str, str]]:
    """The steps in short."""
    return [(each.name, each.turn, each.label, each.outcome) for each in timeline.steps]


async def test_each_call_stands_in_its_turn_with_its_name() -> None:
    """Also calls that ran at the same time, whichever ended first."""
    calls = [call("find_order", order="7"), call("find_order", order="8")]
    timeline = make_timeline(await record(calls, "It is on its way."))

    tools = sorted((each for each in timeline.steps if each.kind == "tool"), key=lambda e: e.name)
    assert [(each.turn, each.label, each.arguments) for each in tools] == [
        (1, "find_order", '{"order": "7"}'),
        (1, "find_order", '{"order": "8"}'),
    ]
    assert [each.text for each in tools] == ["7 is on its way.", "8 is on its way."]
    assert rows(timeline)[-1] == ("finish", 2, "default", "success")


async def test_a_call_that_waits_is_seen_to_wait() -> None:
    """With the tool, its arguments and since when."""
    timeline = make_timeline(await record([call("pay", amount=3)], "Paid."))

    [waiting] = [each for each in timeline.steps if each.kind == "approve"]
    assert (waiting.label, waiting.arguments) == ("pay", '{"amount": 3}')
    assert waiting.outcome.startswith("waits since 20")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("attempt", ["1"], "it is an array, not an object"),
        ("active_s", 10**400, "is not a number of JSON"),
        ("value.since", "yesterday", "it is a text, not a time"),
        ("value.until", "2026-11-22", "it is a text, not a time"),
    ],
)
async def test_a_step_that_was_edited_is_refused(key: str, value: object, said: str) -> None:
    """The error names the step."""
    recording = await record([call("pay", amount=3)], "Paid.")
    step = json.loads(recording.steps["approve/0"])
    *above, name = key.split(".")
    (step[above[0]] if above else step)[name] = value
    edited = replace(recording, steps={**recording.steps, "approve/0": json.dumps(step)})

    with pytest.raises(FormError, match=said) as caught:
        make_timeline(edited)

    assert caught.value.place.startswith("$.steps['approve/0']")


async def test_the_wait_for_a_person_ends_with_the_call() -> None:
    """It takes from the question until the call that was approved begins, in another attempt."""
    model = ScriptedChatModel([[call("pay", amount=3)], "Paid."])
    app = Application(register=[model, pay], plugins=False, record=True)
    async with app:
        run_id = await app.submit("Pay.")
        async with app.attach(run_id) as run:
            [asked] = [each async for each in run.events() if isinstance(each, ApprovalRequested)]
        await app.decide(run_id, asked.request.key, Approve(), by="ann")
        async with app.attach(run_id) as run:
            await run.result()
        timeline = make_timeline(await app.component(RunStore).recording(run_id))

    steps = {each.name: each for each in timeline.steps}
    waited, paid = steps["approve/0"], steps["tool/0"]
    assert (waited.outcome, waited.ended_at) == ("waited", paid.started_at)
    assert waited.started_at == asked.request.since
    attempts = {name: each.attempt for name, each in steps.items() if each.attempt}
    assert attempts == {"enter": 1, "tool/0": 2}


async def test_a_question_of_a_tool_is_seen_to_wait() -> None:
    """With the tool that has asked, and what it was called with."""

    @tool
    async def choose(amount: int, context: ToolContext) -> str:
        """Choose an account."""
        answer = await context.ask("Which account?", {"type": "object", "properties": {}})
        return str(answer)

    model = ScriptedChatModel([[call("choose", amount=3)]])
    async with Application(register=[model, choose], plugins=False, record=True) as app:
        result = await app.execute("Pay.")
        timeline = make_timeline(await app.component(RunStore).recording(result.run_id))

    [asked] = [each for each in timeline.steps if each.kind == "ask"]
    assert (asked.label, asked.text, asked.turn) == ("choose", "Which account?", 1)
    assert asked.outcome.startswith("waits since 20")


async def test_calls_of_a_turn_are_seen_to_run_beside_each_other() -> None:
    """Each began before the other had ended, as their records say."""
    together = asyncio.Barrier(2)

    @tool
    async def meet(who: str) -> str:
        """Meet another call."""
        await together.wait()
        return who

    model = ScriptedChatModel([[call("meet", who="a"), call("meet", who="b")], "Met."])
    async with Application(register=[model, meet], plugins=False, record=True) as app:
        result = await app.execute("Meet.")
        timeline = make_timeline(await app.component(RunStore).recording(result.run_id))

    calls = [each for each in timeline.steps if each.kind == "tool"]
    begins, ends = ([getattr(each, of) for each in calls] for of in ("started_at", "ended_at"))
    assert len(calls) == 2
    assert max(begins) < min(ends)


async def test_tokens_are_summed_and_shares_are_of_the_prompt() -> None:
    """The sum is that of the steps of the run itself."""
    timeline = make_timeline(await record([call("find_order", order="7")], "It is on its way."))

    used = [each.usage for each in timeline.steps if each.usage is not None]
    assert timeline.usage.prompt_tokens == sum(each.prompt_tokens for each in used)
    assert timeline.prompt == "Where is it?"
    assert all(each.cached_share in {None, 0.0} for each in timeline.steps)


async def test_history_brings_times_and_attempts() -> None:
    """A step without a time of its own has that of its record."""
    ended_at = datetime(2026, 1, 2, tzinfo=UTC)
    steps = (RecordedStep(key="enter", ended_at=ended_at),)

    history = RunHistory(attempts=2, deaths=1, steps=steps)
    recording = await record("Hello")
    timeline = make_timeline(replace(recording, steps=without_times(recording.steps)), history)

    assert (timeline.attempts, timeline.deaths) == (2, 1)
    assert timeline.steps[0].ended_at == ended_at


async def test_a_run_that_was_stopped_shows_the_code() -> None:
    """In the place of what its step would have given."""
    recording = await record("Hello")
    stop = '{"type":"step","value":{"type":"stopped","code":"GUARD_REJECTED","message":"No."}}'
    timeline = make_timeline(replace(recording, steps={"enter": stop}))

    [step] = timeline.steps
    assert (step.outcome, step.text) == ("GUARD_REJECTED", "No.")


async def test_a_step_is_shown_whole() -> None:
    """As JSON that people read; a step that is not there is None."""
    recording = await record("Hello")

    assert '"content": "Hello"' in (format_step(recording, "model/1") or "")
    assert format_step(recording, "model/9") is None
