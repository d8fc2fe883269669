"""An engine of fakes around a scripted model: the shortest way to a run in a test."""

from collections.abc import Iterable
from typing import Any

from arc_core.components.injection import Registered
from arc_core.components.wiring_record import WiringRecord
from arc_core.defaults.inactive import UnboundedBudgets
from arc_core.engine.guards.response_filters import ResponseFilterChain
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.engine.turns.collaborators import AgentComponents
from arc_core.interfaces.models.chat_model import ChatModel
from arc_core.settings import AgentSettings
from arc_core.testing.fakes import (
    CharacterEstimator,
    CodeMessageResolver,
    DictCredentials,
    DictResponseCache,
    EveryCallPolicy,
    EveryToolSelector,
    FixedModelPrices,
    FixedRetriever,
    FixedRunScopes,
    ListConversationManager,
    OldestFirstCompactor,
    RecordingMetrics,
)
from arc_core.testing.run_journals import DictRunJournals
from arc_core.tools import FunctionTool


class _ScriptedAgent(ReActAgentExecutor):
    """The engine, with journals that it starts and closes as an application does."""

    async def start(self) -> None:
        """Get ready, and take the runs of the journals."""
        await super().start()
        await self._journals.start(self.run_kept)

    async def aclose(self) -> None:
        """Let the kept runs go, and end the others."""
        await self._journals.aclose()
        await super().aclose()


def scripted_agent(
    chat_model: ChatModel, settings: AgentSettings | None = None, **components: Any
) -> ReActAgentExecutor:
    """An engine without guards, hooks and tools, with fakes in every slot.

    Args:
        chat_model: Usually a `ScriptedChatModel`.
        settings: None is the defaults.
        **components: Replace the fakes, by the names of `AgentComponents`. Of the tools, those made
            by `@tool` are local, unless `local_tools` says otherwise.
    """
    tools: Iterable[object] = components.get("tools", ())
    fakes: dict[str, Any] = {
        "models": {},
        "guards": (),
        "output_guards": (),
        "hooks": (),
        "tool_result_guards": (),
        "tools": (),
        "local_tools": Registered(tuple(each for each in tools if isinstance(each, FunctionTool))),
        "tool_selector": EveryToolSelector(),
        "response_filter_chain": ResponseFilterChain(),
        "response_cache": DictResponseCache(),
        "compactor": OldestFirstCompactor(),
        "conversation_manager": ListConversationManager(),
        "retriever": FixedRetriever(),
        "reranker": None,
        "token_estimator": CharacterEstimator(),
        "error_message_resolver": CodeMessageResolver(),
        "agent_metrics": RecordingMetrics(),
        "run_scopes": FixedRunScopes(),
        "run_journals": DictRunJournals(),
        "approval_policy": EveryCallPolicy(),
        "credentials": DictCredentials(),
        "budgets": UnboundedBudgets(),
        "model_prices": FixedModelPrices(),
        "agents": (),
        "wiring": WiringRecord(),
    }
    return _ScriptedAgent(
        components=AgentComponents(chat_model=chat_model, **(fakes | components)),
        settings=settings or AgentSettings(),
    )
