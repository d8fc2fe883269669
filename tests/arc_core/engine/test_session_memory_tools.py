"""What a session was offered is offered again, whichever process serves it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arc_core import AgentCommand, ConversationStore, Tool, ToolContext, ToolSelector
from arc_core.log import get_logger
from arc_core.testing import ListConversationManager, ScriptedChatModel, scripted_agent
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore
from arc_plugins.conversations.managers.window import WindowConversationManager
from arc_plugins.conversations.settings import HistorySettings


class Named:
    """A tool of a plugin, which selectors see."""

    description, timeout_s = "Does something.", None
    parameters: Mapping[str, Any] = {"type": "object"}

    def __init__(self, name: str) -> None:
        self.name = name

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return "done"


TOOLS = tuple(map(Named, ("one", "three", "two")))


class Naming(ToolSelector):
    """Chooses the tools that the prompt names; all if it names none, as keywords do."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        return [each for each in tools if each.name in user_prompt] or tools


class CountingStore(InMemoryConversationStore):
    """Counts how often offered tools are loaded and kept."""

    calls = 0

    async def load_offered_tools(self, *names: str, **options: Any) -> Any:
        self.calls += 1
        return await super().load_offered_tools(*names, **options)

    async def keep_offered_tools(self, *values: Any, **options: Any) -> None:
        self.calls += 1
        await super().keep_offered_tools(*values, **options)


class Processes:
    """Engines that share a store, as those of several processes do."""

    def __init__(self, store: ConversationStore, *, count: int = 2) -> None:
        settings = HistorySettings()
        self.model = ScriptedChatModel(["Hi."] * 9)
        self._agents = [
            scripted_agent(
                self.model,
                tools=TOOLS,
                tool_selector=Naming(),
                conversation_manager=WindowConversationManager(
                    store=store, settings=settings, logger=get_logger("test")
                ),
            )
            for _ in range(count)
        ]

    async def ask(self, prompt: str, *, process: int, **said: Any) -> str:
        """The names of the tools that were offered."""
        command = AgentCommand(user_prompt=prompt, **{"session_id": "s", **said})
        assert (await self._agents[process].execute(command)).success
        return " ".join(each.name for each in self.model.requests[-1].tools)


async def test_another_process_offers_again_what_one_has_offered() -> None:
    """Its request begins as the one before; what its prompt selects is added."""
    both = Processes(InMemoryConversationStore())

    found = [
        await both.ask("two", process=0),
        await both.ask("one", process=1),
        await both.ask("two", process=0),
        await both.ask("three", process=1),
    ]

    assert found == ["two", "one two", "one two", "one three two"]


async def test_tenants_and_users_are_offered_tools_apart() -> None:
    """Another tenant's session of the id, and a stranger within the tenant."""
    both = Processes(InMemoryConversationStore())
    await both.ask("two", process=0, tenant_id="acme", user_id="ann")

    others = [
        await both.ask("one", process=1, tenant_id="globex", user_id="ann"),
        await both.ask("one", process=1, tenant_id="acme", user_id="bob"),
        await both.ask("one", process=0, tenant_id="acme", user_id="bob"),
    ]

    assert others == ["one", "one", "one"]


async def test_a_selector_that_leaves_nothing_out_costs_the_store_nothing() -> None:
    """Sessions that are offered all tools begin alike without a memory."""
    store = CountingStore()
    both = Processes(store)

    for process in (0, 1, 0):
        assert await both.ask("all", process=process) == "one three two"

    assert store.calls == 0


async def test_what_is_offered_again_unchanged_is_not_written_again() -> None:
    """A load each, and one write for the tools that are new."""
    store = CountingStore()
    both = Processes(store)

    for process in (0, 1, 0, 1):
        await both.ask("two", process=process)

    assert store.calls == 4 + 1


async def test_a_selector_that_falls_back_to_all_is_remembered_once_it_chooses() -> None:
    """So that prompts with and without matches do not take turns in breaking the beginning."""
    both = Processes(InMemoryConversationStore())
    await both.ask("one", process=0)
    await both.ask("one", process=1)

    found = [await both.ask("all", process=0), await both.ask("two", process=1)]

    assert found == ["one three two"] * 2


class SilentManager(ListConversationManager):
    """Says that it cannot remember tools, since its store cannot."""

    remembers_offered_tools = False

    async def load_offered_tools(self, command: AgentCommand) -> Sequence[str]:
        raise AssertionError

    async def save_offered_tools(self, command: AgentCommand, tools: object) -> None:
        raise AssertionError


@pytest.mark.parametrize(
    "manager", [ListConversationManager(), SilentManager()], ids=["list", "silent"]
)
async def test_without_a_manager_that_remembers_the_process_does(
    manager: ListConversationManager,
) -> None:
    """As long as it lives."""
    model = ScriptedChatModel(["Hi."] * 2)
    agent = scripted_agent(model, tools=TOOLS, tool_selector=Naming(), conversation_manager=manager)

    for prompt in ("two", "one"):
        await agent.execute(AgentCommand(user_prompt=prompt, session_id="s"))

    assert [len(request.tools) for request in model.requests] == [1, 2]
