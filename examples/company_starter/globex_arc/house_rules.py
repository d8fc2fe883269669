"""Puts the rules of the house above the instructions of every agent, whatever model it asks."""

from collections.abc import AsyncIterator
from dataclasses import replace

from arc_core import ChatDelta, ChatModel, ChatRequest, ChatResponse, decorates
from globex_arc.settings import GlobexSettings

__all__ = ["HouseRules"]


@decorates(ChatModel)
class HouseRules(ChatModel):
    """A chat model that is told the rules of the house first."""

    def __init__(self, inner: ChatModel, settings: GlobexSettings) -> None:
        self.inner = inner
        self._rules = settings.house_rules

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Ask with the rules."""
        return await self.inner.complete(self._add_rules(request))

    def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """Ask with the rules."""
        return self.inner.stream(self._add_rules(request))

    def _add_rules(self, request: ChatRequest) -> ChatRequest:
        if not self._rules:
            return request
        told = "\n\n".join(filter(None, (self._rules, request.system_prompt)))
        return replace(request, system_prompt=told)
