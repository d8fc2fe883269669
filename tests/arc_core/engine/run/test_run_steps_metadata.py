"""What parallel steps change in the metadata is the same after a suspension as before it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    Approve,
    Decision,
    RunSuspended,
    ToolCall,
    ToolContext,
    tool,
)
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournal, DictRunJournals
from tests.arc_core.engine.suspending import let_go

COMMAND = AgentCommand(user_prompt="Go.", metadata={"spent": 0, "sums": {"eur": 0.0}, "ids": []})

Work = Callable[[Any], Awaitable[None]]


class Shop:
    """Two tools that work at once, and one that waits for a person; each in its own life of a run.

    Attributes:
        first: What the tool does that is called first.
        second: What the other one does.
    """

    def __init__(self, first: Work, second: Work) -> None:
        self.first, self.second = first, second
        self.journals = DictRunJournals()

    async def open(self) -> DictRunJournal:
        """The journal of a run that has not begun."""
        await self.start()
        return self.journals.open(COMMAND, run_id="r")

    async def start(self) -> None:
        """Begin a process."""

        @tool
        async def first(context: ToolContext) -> str:
            """Work."""
            await self.first(context.metadata)
            return "done"

        @tool
        async def second(context: ToolContext) -> str:
            """Work."""
            await self.second(context.metadata)
            return "done"

        @tool(needs_approval=True)
        async def pay() -> str:
            """Pay."""
            return "paid"

        calls = [ToolCall(str(n), each, "{}") for n, each in enumerate(("first", "second", "pay"))]
        model = ScriptedChatModel([lambda asked: "Ok." if len(asked.messages) > 1 else calls] * 9)
        agent = scripted_agent(model, run_journals=self.journals, tools=(first, second, pay))
        await agent.start()

    async def suspend(self, journal: DictRunJournal) -> None:
        """Run until the person is asked."""
        assert self.journals.body is not None
        with pytest.raises(RunSuspended):
            await self.journals.body(COMMAND, journal)

    async def end(self, journal: DictRunJournal) -> AgentResult:
        """Approve, and go on in another process."""
        journal.decisions["approve/2"] = Decision(
            answer=Approve(), by="carol", at=datetime.now(UTC)
        )
        await self.start()
        return await self.journals.take_up("r")


async def test_a_counter_of_parallel_tools_is_the_same_after_an_approval() -> None:
    """Each tool has added its part, whichever ended last."""
    has_counted = asyncio.Event()

    async def slow(metadata: Any) -> None:
        await has_counted.wait()
        metadata["spent"] += 100

    async def quick(metadata: Any) -> None:
        metadata["spent"] += 1
        has_counted.set()

    shop = Shop(slow, quick)
    journal = await shop.open()
    await shop.suspend(journal)
    result = await shop.end(journal)

    assert result.metadata["spent"] == 101


async def test_of_texts_that_parallel_tools_write_the_last_one_counts() -> None:
    """Also if it was written by the tool that ended first."""
    has_written, has_ended = asyncio.Event(), asyncio.Event()

    async def early(metadata: Any) -> None:
        metadata["status"] = "early"
        has_written.set()
        await has_ended.wait()

    async def late(metadata: Any) -> None:
        await has_written.wait()
        metadata["status"] = "late"
        asyncio.get_running_loop().call_later(0.01, has_ended.set)

    shop = Shop(early, late)
    journal = await shop.open()
    await shop.suspend(journal)

    assert (await shop.end(journal)).metadata["status"] == "late"


async def test_sums_of_fractions_and_lists_are_the_same_after_an_approval() -> None:
    """To the last digit, and in their order; also if they were changed in place."""
    turns = [asyncio.Event() for _ in range(3)]

    async def first(metadata: Any) -> None:
        metadata["sums"]["eur"] += 0.1
        metadata["ids"].append("a")
        turns[0].set()
        await turns[1].wait()
        metadata["sums"]["eur"] += 0.7
        metadata["ids"].append("c")

    async def second(metadata: Any) -> None:
        await turns[0].wait()
        metadata["sums"]["eur"] += 0.2
        metadata["ids"].append("b")
        turns[1].set()

    shop = Shop(first, second)
    journal = await shop.open()
    await shop.suspend(journal)
    result = await shop.end(journal)

    assert result.metadata["sums"] == {"eur": 0.0 + 0.1 + 0.2 + 0.7}
    assert result.metadata["ids"] == ["a", "b", "c"]


async def test_what_a_killed_tool_had_changed_is_not_counted_twice() -> None:
    """The tool beside it has recorded its own part alone."""
    has_begun, lives = asyncio.Event(), list[str]()

    async def killed(metadata: Any) -> None:
        metadata["spent"] += 100
        metadata["ids"].append("killed")
        metadata["sums"]["eur"] += 0.5
        lives.append("begun")
        has_begun.set()
        if len(lives) == 1:
            await asyncio.Event().wait()

    async def beside(metadata: Any) -> None:
        await has_begun.wait()
        metadata["spent"] += 1
        metadata["ids"].append("beside")
        metadata["sums"]["eur"] += 0.25

    shop = Shop(killed, beside)
    journal = await shop.open()
    await let_go_once(shop, journal, key="tool/1")
    result = await shop.end(journal)

    assert (result.metadata["spent"], result.metadata["sums"]["eur"]) == (101, 0.75)
    assert sorted(result.metadata["ids"]) == ["beside", "killed"]


async def let_go_once(shop: Shop, journal: DictRunJournal, *, key: str) -> None:
    """End the process once a step is recorded."""

    async def wait_for_record() -> None:
        while key not in journal.texts:  # noqa: ASYNC110 -- a record tells no one
            await asyncio.sleep(0)

    await let_go(shop.journals, journal, wait_for_record())


async def test_records_of_earlier_versions_are_read_in_the_order_of_their_ends() -> None:
    """They have values: what ended last has seen what ended before it."""

    async def nothing(_: Any) -> None:
        pass

    shop = Shop(nothing, nothing)
    journal = await shop.open()
    await shop.suspend(journal)
    older = {
        "tool/0": {"changed": {"spent": 101}, "active_s": 2.0},
        "tool/1": {"changed": {"spent": 1}, "removed": ["ids"], "active_s": 1.0},
    }
    for key, parts in older.items():
        record = json.loads(journal.texts[key])
        record.pop("changes", None)
        journal.texts[key] = json.dumps({**record, **parts})
    result = await shop.end(journal)

    assert result.metadata["spent"] == 101
    assert "ids" not in result.metadata
