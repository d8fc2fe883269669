"""Room in the window: what stays, what goes, and what stands in its place."""

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest

from arc_core import (
    Agent,
    AgentCommand,
    AssistantMessage,
    Compaction,
    CompactionView,
    Compactor,
    FaultSource,
    Message,
    Reasoning,
    ToolCall,
    UserMessage,
)
from arc_core.interfaces.agent_metrics import CompactionRecord, CountsCompactions
from arc_core.testing import ListConversationManager, RecordingMetrics
from arc_plugins.compactors.drop import DroppingCompactor
from tests.arc_core.engine.long_runs import (
    LongRun,
    calling,
    check_pairs,
    count_tokens,
    has_question,
    look,
    settings,
)

WINDOW = 10_000
FORTY = [calling(900) for _ in range(40)]


def begins_with(longer: tuple[object, ...], shorter: tuple[object, ...]) -> bool:
    """Whether messages are others with something behind them."""
    return longer[: len(shorter)] == shorter


async def test_between_two_cuts_requests_only_grow() -> None:
    """Each is the one before with something behind it, but for the few after a cut."""
    run = await LongRun(FORTY, settings(WINDOW)).run()

    cuts = sum(
        not begins_with(after.messages, before.messages) for before, after in pairwise(run.requests)
    )
    assert cuts == len(run.compactions)
    assert 0 < cuts < len(run.requests) / 4


async def test_every_request_keeps_its_budget_and_its_pairs() -> None:
    """And has the question."""
    run = await LongRun(FORTY, settings(WINDOW)).run()

    for request in run.requests:
        assert count_tokens(request) <= WINDOW
        assert has_question(request)
        check_pairs(request.messages)


async def test_old_results_become_a_line_and_their_calls_stay() -> None:
    """The last results are whole."""
    run = await LongRun(FORTY[:14], settings(WINDOW)).run()
    first, *_, last = run.results()

    assert first.startswith("[tool/0: 900 characters, 1 line; left out to make room; read_result(")
    assert last == "x " * 450
    assert len(run.results()) == 14


async def test_calls_that_are_left_out_are_listed_behind_the_question() -> None:
    """Once lines alone would fill the window."""
    run = await LongRun([calling(900) for _ in range(120)], settings(6000)).run()
    messages = run.requests[-1].messages
    listed = messages[1]

    assert messages[0] == UserMessage("How many?")
    assert isinstance(listed, UserMessage)
    assert 'look {"size": 900, "mark": "x"}' in listed.text
    assert "tool/" in listed.text


async def test_the_last_exchange_is_not_touched_while_it_fits() -> None:
    """However much there was before."""
    run = await LongRun([*FORTY[:8], calling(1500, 1500, 1500)], settings(WINDOW)).run()

    assert run.results()[-3:] == ["x " * 750] * 3


async def test_a_last_exchange_that_does_not_fit_alone_is_cleared() -> None:
    """The largest result first, so that the run goes on at all."""
    run = await LongRun([calling(1900, 300, 1900)], settings(3500)).run()

    assert count_tokens(run.requests[-1]) <= 3500
    assert "left out" in run.results()[0]
    assert run.results()[1] == "x " * 150


async def test_signed_reasoning_stays_beside_its_calls() -> None:
    """Vendors refuse calls without the reasoning that led to them."""
    thought = Reasoning("I look.", signature="signed")
    turns = [AssistantMessage("", tuple(calling(900)), (thought,)) for _ in range(14)]
    run = await LongRun(turns, settings(WINDOW)).run()

    calls = [each for each in run.requests[-1].messages if isinstance(each, AssistantMessage)]
    assert run.compactions
    assert all(each.reasoning == (thought,) for each in calls)


async def test_readers_are_told_of_the_room_that_was_made() -> None:
    """With the tokens before and after."""
    run = await LongRun(FORTY[:14], settings(WINDOW)).run()
    [told] = run.compactions

    assert told.cleared >= 5
    assert told.dropped == 0
    assert told.tokens_after <= WINDOW / 2 < told.tokens_before


class CountingMetrics(RecordingMetrics, CountsCompactions):
    """Remembers compactions."""

    def __init__(self) -> None:
        super().__init__()
        self.compactions: list[CompactionRecord] = []

    def record_compaction(self, record: CompactionRecord) -> None:
        """Remember one."""
        self.compactions.append(record)


async def test_metrics_count_compactions() -> None:
    """Each once."""
    metrics = CountingMetrics()
    run = await LongRun(FORTY, settings(WINDOW), agent_metrics=metrics).run()

    assert [each.cleared for each in metrics.compactions] == [
        each.cleared for each in run.compactions
    ]


async def test_the_prompt_alone_may_not_fit() -> None:
    """It is sent whole, and the run does not go round in circles."""
    run = await LongRun(FORTY[:2], settings(1500)).run("How many? " * 300)

    assert all(has_question(request, "How many? " * 300) for request in run.requests)
    assert len(run.requests) == 3


async def test_dropping_leaves_out_no_more_than_needed() -> None:
    """Exchange by exchange, with nothing in their place."""
    run = await LongRun(FORTY, settings(WINDOW), compactor=DroppingCompactor()).run()

    assert {(each.cleared, each.dropped) for each in run.compactions} <= {(0, 1), (0, 2)}
    assert not any("left out" in result for result in run.results())


class Misbehaving(Compactor):
    """Does what it must not."""

    def __init__(self, act: Callable[[CompactionView], Compaction]) -> None:
        self._act = act

    async def compact(self, view: CompactionView) -> Compaction:
        """Do it."""
        return self._act(view)


def _raise(view: CompactionView) -> Compaction:
    raise RuntimeError(f"no room in {view.budget}")


MISDEEDS: dict[str, Callable[[CompactionView], Compaction]] = {
    "raises": _raise,
    "nothing": lambda _: Compaction(),
    "another key": lambda _: Compaction(cleared=("tool/999",)),
    "the last exchange, too": lambda view: Compaction(dropped=len(view.exchanges) + 1),
    "less than nothing": lambda _: Compaction(dropped=-1),
    "more than it got": lambda view: Compaction(dropped=1, text="x" * view.tokens),
    "no text": lambda _: Compaction(dropped=1, text=None),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("misdeed", MISDEEDS)
async def test_clearing_stands_in_for_a_compactor_that_fails(misdeed: str) -> None:
    """The requests are those that the default would have made."""
    metrics = RecordingMetrics()
    broken = Misbehaving(MISDEEDS[misdeed])
    run = await LongRun(FORTY, settings(WINDOW), compactor=broken, agent_metrics=metrics).run()
    usual = await LongRun(FORTY, settings(WINDOW)).run()

    assert [each.messages for each in run.requests] == [each.messages for each in usual.requests]
    assert set(metrics.faults) == {FaultSource.COMPACTION}


class Hanging(Compactor):
    """Never answers."""

    def __init__(self) -> None:
        self.is_asked = asyncio.Event()

    async def compact(self, view: CompactionView) -> Compaction:
        """Wait."""
        del view
        self.is_asked.set()
        await asyncio.Event().wait()
        raise AssertionError


async def test_clearing_stands_in_for_a_compactor_that_hangs() -> None:
    """After its time-out."""
    config = settings(WINDOW, compaction_timeout_s=0.01)
    run = await LongRun(FORTY[:14], config, compactor=Hanging()).run()

    assert run.results()[0].startswith("[tool/0")


async def test_a_hanging_compactor_can_be_cancelled() -> None:
    """The run ends, and does not wait for it."""
    compactor = Hanging()
    run = LongRun(FORTY[:14], settings(WINDOW), compactor=compactor)
    task = asyncio.create_task(run.agent.execute(AgentCommand(user_prompt="How many?")))
    await compactor.is_asked.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


def turns(count: int, size: int = 400) -> list[Message]:
    """A history of so many turns."""
    return [
        message
        for number in range(count)
        for message in (UserMessage(f"Question {number}? " + "x" * size), AssistantMessage("Yes."))
    ]


class Sessions(ListConversationManager):
    """Loads a history that grows by a turn a run."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    async def load_history(self, command: AgentCommand) -> list[Message]:
        """One turn more than the last time."""
        del command
        self.count += 1
        return turns(self.count)


async def test_turns_of_a_session_are_listed_in_the_place_of_being_dropped() -> None:
    """And requests of many runs begin alike."""
    run = LongRun(["Yes."] * 60, settings(4000), conversation_manager=Sessions())
    for _ in range(60):
        await run.run(session_id="s")

    first = [request.messages[0] for request in run.requests]
    changes = sum(before != after for before, after in pairwise(first))
    assert "user: Question 0?" in first[-1].text or "older lines" in first[-1].text  # type: ignore[union-attr]
    assert changes <= 60 * 420 / 2000 + 1
    assert all(count_tokens(request) <= 4000 for request in run.requests)


async def test_a_history_of_the_caller_is_cut_by_no_more_than_it_must() -> None:
    """And then begins alike for the whole run."""
    run = await LongRun(FORTY[:2], settings(6000)).run(conversation_history=turns(20))

    first, *_ = run.requests
    starts = {request.messages[0].text for request in run.requests}  # type: ignore[union-attr]
    assert count_tokens(first) > 6000 - 420
    assert len(starts) == 2
    assert all(count_tokens(request) <= 6000 for request in run.requests)


async def test_a_delegate_compacts_for_itself() -> None:
    """Its results are its own, and its caller's window is not touched."""
    delegate = [ToolCall("d", "ask_clerk", '{"task": "Look."}')]
    script = [delegate, *FORTY[:14], "Found.", "Done."]
    boss = Agent("boss", delegates=["clerk"])
    clerk = Agent("clerk", tools=[look])
    run = await LongRun(script, settings(WINDOW), agents=(boss, clerk), tools=()).run(agent="boss")

    assert run.result is not None
    assert len(run.compactions) == 1
    assert run.results() == ["Found."]
