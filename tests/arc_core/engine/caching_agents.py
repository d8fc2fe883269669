"""Agents whose answers are kept, for tests."""

import asyncio
from collections.abc import Iterable
from typing import Any

from arc_core import AgentCommand, ChatRequest, ChatResponse
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings, CacheSettings, LlmSettings, RagSettings
from arc_core.testing import ScriptedChatModel, scripted_agent

__all__ = ["PatientModel", "caching_agent", "question", "settle"]


def question(text: str = "Which city?", **fields: Any) -> AgentCommand:
    """A command of Ann's."""
    return AgentCommand(user_prompt=text, **({"user_id": "ann"} | fields))


def caching_agent(
    turns: Iterable[Any] | ScriptedChatModel,
    *,
    temperature: float | None = 0.0,
    cache: dict[str, Any] | None = None,
    rag: RagSettings | None = None,
    **components: Any,
) -> tuple[ReActAgentExecutor, ScriptedChatModel]:
    """An agent with a cache switched on, and its model."""
    model = turns if isinstance(turns, ScriptedChatModel) else ScriptedChatModel(turns)
    settings = AgentSettings(
        llm=LlmSettings(temperature=temperature),
        cache=CacheSettings(**({"enabled": True} | (cache or {}))),
        rag=rag or RagSettings(),
    )
    return scripted_agent(model, settings, **components), model


class PatientModel(ScriptedChatModel):
    """Answers only once it may.

    Attributes:
        asked: How often it was asked, answered or not.
        may_answer: Set it to let all answers out.
    """

    def __init__(self, turns: Iterable[Any]) -> None:
        super().__init__(turns)
        self.asked = 0
        self.may_answer = asyncio.Event()

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Wait, then the next turn."""
        self.asked += 1
        await self.may_answer.wait()
        return await super().complete(request)


async def settle() -> None:
    """Let every task run until it waits."""
    for _ in range(20):
        await asyncio.sleep(0)
