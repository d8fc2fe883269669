"""Who answers for whom in a session: kept by the manager, if it can, else in memory."""

from collections.abc import Mapping
from typing import Any

from arc_core import AgentCommand, AgentStarted, Limits, ToolCall
from arc_core.testing import ScriptedChatModel
from arc_core.testing.fakes import ListConversationManager
from tests.arc_core.engine.asking_agents import agent_of, engine_of

COMMAND = AgentCommand(user_prompt="My bill?", agent="support", session_id="7", user_id="ann")
AGENTS = [agent_of("support", handoffs=["billing"]), agent_of("billing", handoffs=["default"])]


class Remembering(ListConversationManager):
    """Keeps handoffs, or says that it cannot."""

    def __init__(self, *, can: bool = True) -> None:
        super().__init__()
        self.remembers_handoffs = can
        self.kept: Mapping[str, str] = {}
        self.asked = 0

    async def load_handoffs(self, command: AgentCommand) -> Mapping[str, str]:
        self.asked += 1
        return self.kept

    async def save_handoffs(self, command: AgentCommand, handoffs: Mapping[str, str]) -> None:
        self.kept = handoffs


def handing_over(*names: str) -> list[Any]:
    """The turns of a run in which each hands over to the next."""
    return [*([ToolCall(name, f"transfer_to_{name}", "{}")] for name in names), "Yes."]


def engine_with(manager: ListConversationManager, *turns: Any) -> Any:
    """An engine of these agents."""
    return engine_of(ScriptedChatModel(turns), *AGENTS, conversation_manager=manager)


async def test_the_manager_keeps_it_for_the_next_engine() -> None:
    """Which asks before the run begins."""
    manager = Remembering()
    await engine_with(manager, *handing_over("billing")).execute(COMMAND)

    result = await engine_with(manager, "Yes.").execute(COMMAND)

    assert manager.kept == {"support": "billing"}
    assert result.agent == "billing"


async def test_a_manager_that_cannot_keep_it_is_not_asked() -> None:
    """The engine remembers it itself."""
    manager = Remembering(can=False)
    engine = engine_with(manager, *handing_over("billing"), "Yes.")
    await engine.execute(COMMAND)

    assert (await engine.execute(COMMAND)).agent == "billing"
    assert (manager.kept, manager.asked) == ({}, 0)


async def test_the_last_handoff_is_one_for_all_before() -> None:
    """Those who have handed over before are answered by the last one, the default agent too."""
    manager = Remembering()
    engine = engine_with(manager, *handing_over("billing", "default"), "Yes.")
    await engine.execute(COMMAND)

    result = await engine.execute(COMMAND)

    assert manager.kept == {"support": "default", "billing": "default"}
    assert result.agent == "default"


async def test_the_one_in_charge_is_told_in_the_events() -> None:
    """From the first one on."""
    manager = Remembering()
    manager.kept = {"support": "billing"}
    engine = engine_with(manager, "Yes.")

    first, *_ = [event async for event in engine.stream_events(COMMAND)]

    assert isinstance(first, AgentStarted)
    assert first.agent == "billing"


async def test_only_sessions_of_agents_that_hand_over_are_looked_up() -> None:
    """Other runs cost nothing."""
    manager = Remembering()
    engine = engine_with(manager, "Yes.", "Yes.")

    await engine.execute(COMMAND.model_copy(update={"agent": "default"}))
    await engine.execute(COMMAND.model_copy(update={"session_id": None}))

    assert manager.asked == 0


async def test_limits_of_the_one_that_was_asked_hold_too() -> None:
    """As they do after a handoff."""
    manager = Remembering()
    manager.kept = {"support": "billing"}
    asked = agent_of("support", handoffs=["billing"], limits=Limits(max_model_calls=1))
    call = ToolCall("1", "transfer_to_default", "{}")
    model = ScriptedChatModel([[call], "Yes."])
    engine = engine_of(model, asked, AGENTS[1], conversation_manager=manager)

    await engine.execute(COMMAND)

    assert [request.tool_choice for request in model.requests] == ["auto", "none"]
