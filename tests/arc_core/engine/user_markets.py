"""Runs with shops that list their tools for one user at a time."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr

from arc_core import (
    Agent,
    AgentCommand,
    AgentResult,
    Allowed,
    Answer,
    Credential,
    Decision,
    Deny,
    Guard,
    GuardRequest,
    Owner,
    RunSuspended,
    Tool,
    ToolContext,
    ToolSource,
)
from arc_core.testing import RecordingHook, ScriptedChatModel
from arc_core.testing.fakes import DictCredentials
from arc_core.testing.run_journals import DictRunJournal, DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent
from tests.arc_core.engine.tools.test_tool_selection import PluginTool

COMMAND = AgentCommand(user_prompt="Buy it.", user_id="ann", tenant_id="acme")
ANN = Owner(user_id="ann", tenant_id="acme")
TOKEN = Credential(token=SecretStr("a-token"))


__all__ = ["ANN", "COMMAND", "Market", "World"]


class CountingGuard(Guard):
    """Lets everything in."""

    def __init__(self) -> None:
        self.asked = 0

    async def check(self, request: GuardRequest) -> Allowed:
        self.asked += 1
        return Allowed()


class Stall(PluginTool):
    """A tool of a shop, as `mcp:shop/buy`."""

    def __init__(self, shop: str, name: str) -> None:
        super().__init__(name)
        self.qualified_name = f"mcp:{shop}/{name}"


class Market(ToolSource):
    """Shops that list their tools for one user at a time.

    Attributes:
        listed: For whom, at which shop.
    """

    def __init__(self, *shops: str) -> None:
        self.user_qualifiers = self.qualifiers = tuple(f"mcp:{shop}/" for shop in shops)
        self.listed: list[tuple[str, str]] = []

    def tools(self) -> Sequence[Tool]:
        return ()

    async def list_for(self, qualifier: str, context: ToolContext) -> Sequence[Tool]:
        shop = qualifier.removeprefix("mcp:").removesuffix("/")
        await context.credential(f"mcp:{shop}")
        self.listed.append((context.user_id, shop))
        return [Stall(shop, f"{shop}_for_{context.user_id}")]


class World:
    """Runs with shops, of which only `credentials` and `journals` outlive a process."""

    def __init__(self, *shops: str, agents: Sequence[Agent] = (), says: Any = ("Done.",)) -> None:
        self.credentials, self.journals = DictCredentials(), DictRunJournals()
        self.guard, self.hook = CountingGuard(), RecordingHook()
        self.market, self.tools = Market(*shops), tuple[Tool, ...]()
        self.model, self.agents = ScriptedChatModel(says), agents

    async def start(self) -> Any:
        """Begin a process."""
        agent = scripted_agent(
            self.model,
            agents=self.agents,
            tools=(*self.tools, PluginTool("wired"), self.market),
            guards=(self.guard,),
            hooks=(self.hook,),
            credentials=self.credentials,
            run_journals=self.journals,
        )
        await agent.start()
        return agent

    async def run(self, agent: str | None = None, **change: Any) -> AgentResult[Any]:
        """Run until it waits or ends, in a journal from its first step."""
        asked = COMMAND.model_copy(update={"agent": agent, **change})
        self.journals.open(asked, run_id="r")
        return await self.go_on()

    async def go_on(self, *, until: str | None = None) -> AgentResult[Any]:
        """Take the run up in another process, which may end before a step."""
        await self.start()
        assert self.journals.body is not None
        self.journal.begin_life()
        self.journal.suspend_before = until
        try:
            return await self.journals.body(self.journal.command, self.journal)
        except RunSuspended as suspended:
            problem = suspended.problem or None
            return AgentResult(success=False, waiting=suspended.requests, error_message=problem)

    @property
    def journal(self) -> DictRunJournal:
        """The journal of the run."""
        return self.journals.records["r"]

    def decide(self, key: str, answer: Answer | Deny) -> None:
        """Decide about a request."""
        self.journal.decisions[key] = Decision(answer=answer, by="ann", at=datetime.now(UTC))

    async def log_in(self, *shops: str) -> None:
        """Have ann log in."""
        for shop in shops:
            await self.credentials.put(ANN, f"mcp:{shop}", TOKEN)

    @property
    def offered(self) -> list[list[str]]:
        """The tools of each question to the model."""
        return [[tool.name for tool in request.tools] for request in self.model.requests]
