"""The conversation so far, loaded and saved, and the documents for a prompt."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from arc_core.command import AgentCommand
from arc_core.components.extension_points import takes_parameter
from arc_core.components.prefix_cache import PrefixCache
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.run_state import ActiveRun
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.conversations.conversation_manager import (
    ConversationManager,
    RefusedHistory,
)
from arc_core.interfaces.conversations.reranker import Reranker
from arc_core.interfaces.conversations.retriever import TENANT_KEY, Document, Retriever
from arc_core.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.content import Text
from arc_core.result import AgentResult
from arc_core.settings import OnFailure, RagSettings
from arc_core.text.excerpts import READ_RESULT, strip_keys

_MESSAGES = (UserMessage, AssistantMessage, ToolResultMessage, SystemMessage)


class ConversationHistory:
    """Loads and saves through the conversation manager; fails open."""

    def __init__(
        self, manager: ConversationManager, *, boundary: Boundary, on_failure: OnFailure
    ) -> None:
        self._manager = manager
        self._boundary = boundary
        self._on_failure = on_failure
        self._takes_result = takes_parameter(manager.save_streaming_history, "result")
        self._stripped: PrefixCache[Message, Mapping[int, Message]] = PrefixCache()

    async def load(self, run: ActiveRun) -> Sequence[Message]:
        """Earlier messages, oldest first; those of the command win over the store's.

        Their tool results name no keys: of a run before, these would be read in this one.
        """
        command = run.command
        if command.conversation_history:
            return self._strip_keys(tuple(command.conversation_history))
        messages = await self._boundary.call(
            policies.HISTORY_LOAD, self._manager, partial(self._load, command)
        )
        if isinstance(messages, Failed):
            run.history_available = False
            return ()
        run.history_available = not isinstance(messages, RefusedHistory)
        return self._strip_keys(messages)

    async def save(self, run: ActiveRun, result: AgentResult) -> None:
        """Keep an answer; of a failure what `conversation.on_failure` says.

        Of a run that an output guard has ended, nothing is kept.
        """
        if not run.passed_hooks or result.error_code is AgentErrorCode.OUTPUT_REJECTED:
            return
        if not result.success and self._on_failure is OnFailure.NOTHING:
            return
        await self._boundary.call(
            policies.HISTORY_SAVE, self._manager, partial(self._save, run, result)
        )

    def _strip_keys(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        stripped = self._stripped.get(messages, _find_keys) if messages else None
        if not stripped:
            return messages
        return tuple([stripped.get(number, each) for number, each in enumerate(messages)])

    async def _load(self, command: AgentCommand) -> tuple[Message, ...]:
        loaded = await self._manager.load_history(command)
        messages = loaded if isinstance(loaded, RefusedHistory) else tuple(loaded)
        for cls in set(map(type, messages)):  # of a long history, quicker than each message
            if not issubclass(cls, _MESSAGES):
                raise TypeError(f"load_history returned a {cls.__name__} as a message")
        return messages

    async def _save(self, run: ActiveRun, result: AgentResult) -> None:
        manager, command, content = self._manager, run.command, result.content or ""
        if not (result.success and run.streaming):
            await manager.save_history(command, result)
        elif self._takes_result:
            await manager.save_streaming_history(command, content, result=result)
        else:
            await manager.save_streaming_history(command, content)


def _find_keys(
    begun: Mapping[int, Message] | None, new: tuple[Message, ...], place: int
) -> Mapping[int, Message]:
    """Return the messages that stand in the place of some which name keys, by their numbers."""
    stripped = enumerate(map(_strip_keys_of_message, new), place)
    changed = {number: each for number, each in stripped if each is not new[number - place]}
    return {**(begun or {}), **changed}


def _strip_keys_of_message(message: Message) -> Message:
    """Return a message; the same one if there is nothing to strip."""
    if not isinstance(message, ToolResultMessage):
        return message
    results = tuple(map(_strip_keys_of_result, message.results))
    return message if results == message.results else ToolResultMessage(results)


def _strip_keys_of_result(result: ToolResult) -> ToolResult:
    strip = partial(strip_keys, is_reading=result.name == READ_RESULT)
    if isinstance(result.content, str):
        return replace(result, content=strip(result.content))
    parts = (Text(strip(part.text)) if isinstance(part, Text) else part for part in result.content)
    return replace(result, content=tuple(parts))


class DocumentRetrieval:
    """Asks the retriever, and the reranker if there is one, each in time; fails open."""

    def __init__(
        self,
        retriever: Retriever,
        reranker: Reranker | None,
        *,
        boundary: Boundary,
        settings: RagSettings,
    ) -> None:
        self._retriever, self._reranker = retriever, reranker
        self._boundary = boundary
        self._top_k, self._limit = settings.top_k, settings.top_k
        if reranker is not None:
            self._limit = max(settings.top_k, settings.candidates)
        self._is_filtered = settings.tenant_filter

    async def retrieve(self, command: AgentCommand) -> Sequence[Document]:
        """Documents for a prompt, best first."""
        found = await self._boundary.call(
            policies.RETRIEVAL, self._retriever, partial(self._ask, command)
        )
        if isinstance(found, Failed):
            return ()
        if self._reranker is None or not found:
            return found
        ranked = await self._boundary.call(
            policies.RERANKING, self._reranker, partial(self._rank, command.user_prompt, found)
        )
        return found[: self._top_k] if isinstance(ranked, Failed) else ranked

    async def _ask(self, command: AgentCommand) -> tuple[Document, ...]:
        query, tenant = command.user_prompt, (command.tenant_id or "").strip()
        wanted = {TENANT_KEY: tenant} if self._is_filtered else {}
        documents = tuple(await self._retriever.retrieve(query, limit=self._limit, filter=wanted))
        for document in documents:
            if not isinstance(document, Document):
                raise TypeError(f"retrieve returned a {type(document).__name__} as a Document")
            if self._is_filtered and document.metadata.get(TENANT_KEY, tenant) != tenant:
                raise ValueError("retrieve returned a document of another tenant")
        return documents

    async def _rank(self, query: str, found: Sequence[Document]) -> tuple[Document, ...]:
        assert self._reranker is not None
        ranked = tuple(await self._reranker.rerank(query, found, limit=self._top_k))
        for document in ranked:
            if not isinstance(document, Document):
                raise TypeError(f"rerank returned a {type(document).__name__} as a Document")
        return ranked[: self._top_k]
