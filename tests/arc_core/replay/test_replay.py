"""Replays of recorded runs, and the first difference of each."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from arc_core import (
    Agent,
    AgentCommand,
    Allowed,
    Guard,
    GuardRequest,
    GuardResult,
    InvalidResponseError,
    OutputGuard,
    OutputGuardRequest,
    Rejected,
    RejectionCategory,
    ResponseFilter,
    ResponseFilterContext,
    ToolCall,
    tool,
)
from arc_core.components.wiring_record import ComponentRecord, WiringRecord
from arc_core.engine.guards.response_filters import ResponseFilterChain
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.errors import FormError
from arc_core.log import get_logger
from arc_core.replay import Difference, ReplayOutcome, ReplayVerdict
from arc_core.replay.replay import Replay
from arc_core.runs.journal import Recording
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.fakes import ListConversationManager, RecordingHook, RecordingMetrics
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals


@tool
async def find_order(order: str) -> str:
    """Find an order."""
    return f"{order} is on its way"


def engine(
    *turns: Any, given: Any = find_order, version: str = "1.2.0", **parts: Any
) -> tuple[ReActAgentExecutor, InMemoryRunJournals]:
    """Return an engine whose tool comes from a package, and the store of its runs."""
    journals = InMemoryRunJournals(logger=get_logger("test"))
    journals.record_runs()
    component = ComponentRecord(
        place="tools",
        name="shop",
        type="shop:Tools",
        package="shop-tools",
        version=version,
        members=(given,),
    )
    made = scripted_agent(
        ScriptedChatModel(turns),
        run_journals=journals,
        tools=(given,),
        **{"wiring": WiringRecord(lambda: (component,)), **parts},
    )
    return made, journals


CALL = [ToolCall("1", "find_order", '{"order": "7"}')]


async def record(*turns: Any, command: AgentCommand | None = None, **parts: Any) -> Recording:
    """Return the recording of a run."""
    made, journals = engine(*(turns or (CALL, "It is on its way.")), **parts)
    asked = command or AgentCommand(user_prompt="Where is order 7?")
    result = await made.execute(asked)
    return await journals.recording(result.run_id)


async def replay(recording: Recording, **parts: Any) -> ReplayOutcome:
    """Return the outcome of a replay by another engine, whose model has nothing to say."""
    made, _ = engine(**parts)
    return await Replay(made).replay(recording)


async def find(recording: Recording, **parts: Any) -> Difference:
    """Return the difference that a replay finds."""
    outcome = await replay(recording, **parts)
    assert outcome.verdict is ReplayVerdict.DIFFERENT
    assert outcome.difference is not None
    return outcome.difference


async def test_a_run_is_the_same_under_the_same_wiring() -> None:
    """Each request is compared, and nothing is asked."""
    outcome = await replay(await record())

    assert outcome.verdict is ReplayVerdict.SAME
    assert outcome.turns == 2
    assert outcome.notes == ()


async def test_a_changed_parameter_is_named_with_package_and_versions() -> None:
    """In the turn in which the model would be offered it."""
    recording = await record(given=optional_order())

    difference = await find(recording, version="1.3.0")

    assert str(difference) == (
        "turn 1: tool `find_order` (shop-tools 1.2.0 → 1.3.0): parameter `order` became required"
    )


def optional_order() -> Any:
    """Return the tool of an earlier version."""

    @tool
    async def find_order(order: str = "") -> str:
        """Find an order."""
        return order

    schema = json.loads(json.dumps(find_order.parameters))
    schema["properties"]["order"].pop("default", None)
    object.__setattr__(find_order, "parameters", schema)
    return find_order


async def test_a_changed_prompt_is_shown_as_a_diff() -> None:
    """The setting is named; the diff has both texts."""
    before = AgentSettings.model_validate({"llm": {"system_prompt": "Be kind.\nBe short."}})
    after = AgentSettings.model_validate({"llm": {"system_prompt": "Be kind.\nBe long."}})

    difference = await find(await record(settings=before), settings=after)

    assert str(difference) == "turn 1: system prompt `llm.system_prompt`: its text has changed"
    assert "-Be short.\n+Be long." in difference.diff


async def test_a_version_alone_is_a_note() -> None:
    """The requests are the same."""
    outcome = await replay(await record(), version="1.2.1")

    assert outcome.verdict is ReplayVerdict.SAME
    assert outcome.notes == ("tools `shop` (shop-tools): version 1.2.0 → 1.2.1",)


async def test_a_recording_of_an_earlier_layout_has_nothing_to_compare() -> None:
    """It names no parts."""
    outcome = await replay(replace(await record(), layout="arc-1"))

    assert outcome.verdict is ReplayVerdict.NOTHING_TO_COMPARE
    assert outcome.difference is None


@pytest.mark.parametrize(
    ("changed", "part", "problem"),
    [
        ({"llm": {"temperature": 0.7}}, "option", "null → 0.7"),
        ({"max_tool_calls": 0}, "tools", "find_order"),
    ],
)
async def test_settings_that_change_requests_are_differences(
    changed: Mapping[str, Any], part: str, problem: str
) -> None:
    """Each is named by what it changes."""
    difference = await find(await record(), settings=AgentSettings.model_validate(changed))

    assert difference.part in {part, "tool"}
    assert problem in str(difference)


async def test_an_agent_that_is_gone_is_a_difference() -> None:
    """The recording may be that of another application."""
    clerk = Agent("clerk", instructions="You sell.", tools=[find_order])
    command = AgentCommand(user_prompt="Where?", agent="clerk")

    difference = await find(await record(command=command, agents=(clerk,)))

    assert "clerk" in str(difference)
    assert "is not there" in str(difference)


async def test_a_recording_that_has_lost_a_step_is_refused() -> None:
    """The error names the run and the step."""
    recording = await record()
    steps = {key: text for key, text in recording.steps.items() if key != "tool/0"}

    with pytest.raises(FormError, match="has lost this step") as caught:
        await replay(replace(recording, steps=steps))

    assert recording.run_id in str(caught.value)
    assert "tool/0" in str(caught.value)


async def test_a_step_that_was_edited_is_refused() -> None:
    """The error names the place in it."""
    recording = await record()
    text = recording.steps["model/2"].replace('"finish_reason"', '"finish"')
    edited = replace(recording, steps={**recording.steps, "model/2": text + "}"})

    with pytest.raises(FormError, match="model/2"):
        await replay(edited)


async def test_a_model_that_is_asked_again_gets_recorded_results() -> None:
    """As long as it calls with equal arguments, however they are written."""
    recording = await record()
    made, _ = engine([ToolCall("9", "find_order", '{ "order":"7" }')], "It is near.")

    outcome = await Replay(made, live=True).replay(recording)

    assert (outcome.verdict, outcome.answer) == (ReplayVerdict.ANSWERED, "It is near.")


async def test_a_call_that_is_not_recorded_ends_a_live_run() -> None:
    """The outcome names the call."""
    recording = await record()
    made, _ = engine([ToolCall("9", "find_order", '{"order": "8"}')], "It is near.")

    outcome = await Replay(made, live=True).replay(recording)

    assert outcome.verdict is ReplayVerdict.UNRECORDED
    assert outcome.answer == 'find_order({"order": "8"})'


async def test_a_call_that_would_wait_now_is_a_difference() -> None:
    """Policies and marks are asked again."""
    careful = AgentSettings.model_validate({"tools": {"needs_approval": ["find_order"]}})

    difference = await find(await record(), settings=careful)

    assert str(difference) == (
        "turn 1: approval of tool `find_order` (shop-tools 1.2.0): its call waits for a person, "
        "and was made at once then"
    )


class Mark(Guard):
    """Writes its mark behind a prompt."""

    def __init__(self, mark: str, *, is_pure: bool = True) -> None:
        self.mark, self.pure, self.times = mark, is_pure, 0

    async def check(self, request: GuardRequest) -> GuardResult:
        self.times += 1
        return Allowed(text=f"{request.text}{self.mark}")


async def test_a_pure_guard_is_asked_again() -> None:
    """What it makes of the prompt is compared."""
    difference = await find(await record(guards=(Mark("?"),)), guards=(Mark("!"),))

    assert difference.part == "guard"
    assert "-Where is order 7??\n+Where is order 7?!" in difference.diff


async def test_another_guard_is_not_asked() -> None:
    """What it has made of the prompt is taken from the record."""
    guard = Mark("!", is_pure=False)

    outcome = await replay(await record(guards=(Mark("?", is_pure=False),)), guards=(guard,))

    assert outcome.verdict is ReplayVerdict.SAME
    assert guard.times == 0


class Refusal(OutputGuard):
    """Lets no answer out, but calls of tools."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        is_answer = request.text.startswith("It is")
        return Rejected("no", RejectionCategory.OFF_TOPIC) if is_answer else Allowed()


class Unusable(ResponseFilter):
    """Finds that no answer can be used."""

    order = 100

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        raise InvalidResponseError("it cannot be used")


def filter_answers(*, is_known: bool = True) -> dict[str, Any]:
    """Return the parts of an engine with a filter, which the recorded wiring has if it is known."""
    component = ComponentRecord(
        place="response_filters", name="unusable", type="shop:Unusable", package="shop", version="1"
    )
    record = WiringRecord(lambda: (component,) if is_known else ())
    return {"response_filter_chain": ResponseFilterChain([Unusable()]), "wiring": record}


@pytest.mark.parametrize(
    ("parts", "code"),
    [({"output_guards": (Refusal(),)}, "OUTPUT_REJECTED"), (filter_answers(), "INVALID_RESPONSE")],
)
async def test_an_end_by_an_output_guard_or_a_filter_is_taken_from_the_record(
    parts: dict[str, Any], code: str
) -> None:
    """They are not asked again, and no request depends on what they say."""
    recording = await record(**parts)

    outcome = await replay(recording, **parts)

    assert f'"error_code":"{code}"' in recording.steps["finish"]
    assert (outcome.verdict, outcome.turns) == (ReplayVerdict.SAME, 2)


async def test_an_answer_that_could_not_be_used_is_a_difference_without_filters() -> None:
    """It was the engine itself that could not read it then, and can now."""
    parts = filter_answers(is_known=False)

    difference = await find(await record(**parts), **parts)

    assert str(difference) == "turn 2: run: it ends with success, and ended with INVALID_RESPONSE"


async def test_no_hook_no_metric_and_no_session_gets_to_know_of_a_replay() -> None:
    """The components of the engine are left alone."""
    recording = await record(command=AgentCommand(user_prompt="Where?", session_id="s"))
    hook, metrics, sessions = RecordingHook(), RecordingMetrics(), ListConversationManager()

    outcome = await replay(
        recording, hooks=(hook,), agent_metrics=metrics, conversation_manager=sessions
    )

    assert outcome.verdict is ReplayVerdict.SAME
    assert hook.calls == []
    assert metrics.runs == []
    assert await sessions.load_history(recording.command) == ()


@pytest.mark.parametrize("text", ["7", '[{"name": "find_order"}]', '[["tools"]]'])
async def test_a_part_that_was_edited_is_refused(text: str) -> None:
    """The error names the run and the part."""
    recording = await record()
    digest = next(iter(recording.parts))

    with pytest.raises(FormError, match="it was edited") as caught:
        await replay(replace(recording, parts={**recording.parts, digest: text}))

    assert f"$.parts['{digest}']" in str(caught.value)


@pytest.mark.parametrize("text", ['"Be kind."', "{}", "[]"])
@pytest.mark.parametrize("wiring", [False, True], ids=["tools", "wiring"])
async def test_a_part_of_another_kind_is_a_difference_or_unknown(
    text: str, *, wiring: bool
) -> None:
    """Each has a shape that Arc writes, in the place of another."""
    recording = await record(given=optional_order())
    entered = json.loads(recording.steps["enter"])["value"]["wiring"]
    digests = [d for d, each in recording.parts.items() if (d == entered) is wiring]
    edited = replace(recording, parts={**recording.parts, **dict.fromkeys(digests, text)})

    difference = await find(edited, version="1.3.0")

    assert str(difference).startswith("turn 1: tool")


@pytest.mark.parametrize("schema", [{"properties": ["order"]}, {"required": {"order": [1]}}, {}])
async def test_a_schema_that_is_not_one_is_a_difference(schema: Any) -> None:
    """Servers of MCP may send such, and recordings may be edited."""
    given = optional_order()
    object.__setattr__(given, "parameters", schema)

    difference = await find(await record(given=given))

    assert str(difference).startswith("turn 1: tool `find_order`")


async def test_a_question_without_its_time_is_refused() -> None:
    """A person was asked, and the step does not say when."""
    careful = AgentSettings.model_validate({"tools": {"needs_approval": ["find_order"]}})
    recording = await record(settings=careful)
    step = json.loads(recording.steps["approve/0"])
    del step["value"]["since"]
    edited = replace(recording, steps={**recording.steps, "approve/0": json.dumps(step)})

    with pytest.raises(FormError, match="since when a person is asked"):
        await replay(edited, settings=careful)
