"""What runs spend that have several lives."""

from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import AgentCommand, Approve, Decision, RunSuspended, Spender, ToolCall, tool
from arc_core.testing.run_journals import DictRunJournals
from tests.arc_core.engine.asking_agents import agent_of, ask
from tests.arc_core.engine.spending.budgeted import COMMAND, LOOK, USED, budgeted, look
from tests.capped_budgets import CappedBudgets


@tool(needs_approval=True)
async def pay() -> str:
    """Pay."""
    return "paid"


class Process:
    """An engine with a journal, on budgets that outlive it."""

    def __init__(self, turns: list[Any], budgets: CappedBudgets, **components: Any) -> None:
        self.journals = DictRunJournals()
        self.agent, self.model = budgeted(
            turns,
            budgets,
            reserve_tokens=500,
            components={"run_journals": self.journals, "tools": [look, pay], **components},
        )

    async def run_until(self, key: str | None, command: AgentCommand = COMMAND) -> Any:
        """Run a first life, up to a step."""
        await self.agent.start()
        journal = self.journals.open(command, run_id="r")
        journal.suspend_before = key
        assert self.journals.body is not None
        return await self.journals.body(command, journal)


@pytest.mark.parametrize("key", ["model/1", "tool/0", "model/2", "finish"])
async def test_each_call_counts_once_in_whichever_life_it_was_made(key: str) -> None:
    """And each life gives back what it held."""
    budgets = CappedBudgets(tokens=1000)
    process = Process([LOOK, "Done."], budgets)

    with pytest.raises(RunSuspended):
        await process.run_until(key)
    held = budgets.held.tokens
    result = await process.journals.take_up("r")

    assert (result.content, held) == ("Done.", 0)
    assert (budgets.spent.tokens, budgets.held.tokens) == (2 * USED, 0)


class Dying(CappedBudgets):
    """Hear no more of a process once it is dead."""

    is_dead = False

    async def settle(self, *args: Any, **named: Any) -> None:
        if self.is_dead:
            raise OSError
        await super().settle(*args, **named)


async def test_a_killed_process_has_counted_its_finished_calls() -> None:
    """What it held returns once its time is over; the next life reserves for itself."""
    budgets = Dying(tokens=1000)
    process = Process([LOOK, "Done."], budgets)
    budgets.is_dead = True

    with pytest.raises(RunSuspended):
        await process.run_until("tool/0")
    budgets.is_dead = False
    spent, held = budgets.spent.tokens, budgets.held.tokens
    budgets.expire()
    result = await process.journals.take_up("r")

    assert (spent, held > 0, result.content) == (USED, True, "Done.")
    assert (budgets.spent.tokens, budgets.held.tokens) == (2 * USED, 0)


async def test_a_run_that_waits_for_a_person_holds_nothing() -> None:
    """It reserves anew when it goes on."""
    budgets = CappedBudgets(tokens=1000)
    yes = Decision(answer=Approve(), by="boss", at=datetime.now(UTC))
    process = Process([[ToolCall("1", "pay", "{}")], "Paid."], budgets)

    with pytest.raises(RunSuspended):
        await process.run_until(None)
    held, journal = budgets.held.tokens, process.journals.records["r"]
    journal.decisions.update(dict.fromkeys(journal.asked, yes))
    result = await process.journals.take_up("r")

    assert (held, result.content) == (0, "Paid.")
    assert (budgets.names.count("reserve"), budgets.spent.tokens) == (2, 2 * USED)


async def test_agents_below_a_run_count_once_too() -> None:
    """Their calls are restored with the call of the tool that has asked them."""
    budgets = CappedBudgets(tokens=1000)
    agents = [agent_of("boss", "one"), agent_of("one")]
    process = Process([[ask("one")], "One.", "Done."], budgets, agents=agents)
    command = COMMAND.model_copy(update={"agent": "boss"})

    with pytest.raises(RunSuspended):
        await process.run_until("model/2", command)
    result = await process.journals.take_up("r")

    assert result.content == "Done."
    assert (budgets.spent.tokens, budgets.held.tokens) == (3 * USED, 0)


class LateOnce(CappedBudgets):
    """Reserve, and once they are told to, answer too late.

    Attributes:
        reserved: The reservations.
    """

    is_late = False
    reserved: list[str]

    async def reserve(self, spender: Spender, **named: Any) -> Any:
        answer = await super().reserve(spender, **named)
        self.reserved.append(spender.reservation_id)
        if self.is_late:
            self.is_late = False
            raise TimeoutError
        return answer


async def test_after_a_timeout_the_next_agent_reserves_anew() -> None:
    """What the first one may have reserved is given back, and nothing of what the next one has."""
    agents = [agent_of("boss", "one", "two"), agent_of("one"), agent_of("two")]
    budgets = LateOnce(tokens=2000)
    budgets.reserved = []
    process = Process([[ask("one"), ask("two")], "Two.", "Done."], budgets, agents=agents)
    with pytest.raises(RunSuspended):
        await process.run_until("tool/0", COMMAND.model_copy(update={"agent": "boss"}))

    budgets.is_late = True
    result = await process.journals.take_up("r")
    await process.agent.aclose()

    assert result.content == "Done."
    assert len(set(budgets.reserved)) == 3
    assert (budgets.spent.tokens, budgets.held.tokens) == (3 * USED, 0)
