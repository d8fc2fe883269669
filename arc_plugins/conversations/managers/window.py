"""Remembers the last turns of a conversation word for word: the default.

Costs the tokens of those turns in every run, which vendors bill at about a tenth while the history
begins with the same turn: so it is cut in steps of half of `conversation.max_turns`. Settings:
`conversation.max_turns`, `conversation.trim`, `conversation.on_failure`,
`conversation.keep_tool_calls`, `conversation.max_attachment_bytes`.
"""

from collections.abc import Awaitable, Collection, Mapping, Sequence
from typing import TypeVar

from arc_core import (
    DEFAULT_AGENT,
    AgentCommand,
    AgentResult,
    AssistantMessage,
    ConversationManager,
    ConversationOwner,
    ConversationStore,
    HandoffStore,
    Logger,
    Message,
    OfferedToolsStore,
    RefusedHistory,
    SessionOwnershipError,
    UserMessage,
    identity_of,
    question_of,
    tenant_of,
)
from arc_core.messages.attachments import drop_large, replace_text
from arc_core.settings import OnFailure
from arc_plugins.conversations.settings import HistorySettings

T = TypeVar("T")


class WindowConversationManager(ConversationManager):
    """Loads the last turns and appends a pair per run, for the owner of the session only.

    Whose a session is, the store decides while it reads or writes. A refusal is logged and never
    fails a run; what else goes wrong in the store is raised, for the engine to log and count.
    """

    def __init__(
        self, *, store: ConversationStore, settings: HistorySettings, logger: Logger
    ) -> None:
        self._store, self._settings, self._logger = store, settings, logger
        self._handoffs = store if isinstance(store, HandoffStore) else None
        self._offered_tools = store if isinstance(store, OfferedToolsStore) else None

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        """The last turns, oldest first; a `RefusedHistory` of another user's session."""
        session_id, settings = command.session_id, self._settings
        if not session_id:
            return ()
        owner, most = get_owner(command), settings.max_turns
        loading = self._store.load(session_id, owner=owner, max_turns=most, step=settings.step)
        return await self._catch_refusal(loading, RefusedHistory())

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        """Append the prompt with its answer; of a failure what `conversation.on_failure` says."""
        if not command.session_id:
            return
        on_failure = self._settings.on_failure
        if result.success:
            await self._append_answer(command, result.content, result)
        elif on_failure is OnFailure.PARTIAL and _is_answer(result.partial_content):
            await self._append_answer(command, result.partial_content, result)
        elif on_failure is not OnFailure.NOTHING:
            await self._append(command, [question_of(command)], result)

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        """Append the prompt with the text of the stream's last turn."""
        await self._append_answer(command, content, result)

    @property
    def remembers_handoffs(self) -> bool:
        """True if the store keeps them."""
        return self._handoffs is not None

    async def load_handoffs(self, command: AgentCommand) -> Mapping[str, str]:
        """Return the agents that answer for others; none of another user's session."""
        if self._handoffs is None or not command.session_id:
            return {}
        loading = self._handoffs.load_handoffs(command.session_id, owner=get_owner(command))
        return await self._catch_refusal(loading, {})

    async def save_handoffs(self, command: AgentCommand, handoffs: Mapping[str, str]) -> None:
        """Replace those of the session."""
        if self._handoffs is not None and command.session_id:
            owner = get_owner(command)
            await self._handoffs.keep_handoffs(command.session_id, handoffs, owner=owner)

    @property
    def remembers_offered_tools(self) -> bool:
        """True if the store keeps them."""
        return self._offered_tools is not None

    async def load_offered_tools(self, command: AgentCommand) -> Collection[str]:
        """The tools that the agent was offered; none of another user's session."""
        session_id, agent = command.session_id, command.agent or DEFAULT_AGENT
        if self._offered_tools is None or not session_id:
            return ()
        owner = get_owner(command)
        loading = self._offered_tools.load_offered_tools(session_id, agent, owner=owner)
        return await self._catch_refusal(loading, ())

    async def save_offered_tools(self, command: AgentCommand, tools: Collection[str]) -> None:
        """Replace those of the agent in the session."""
        session_id, agent = command.session_id, command.agent or DEFAULT_AGENT
        if self._offered_tools is not None and session_id:
            owner = get_owner(command)
            await self._offered_tools.keep_offered_tools(session_id, agent, tools, owner=owner)

    async def _append_answer(
        self, command: AgentCommand, answer: str | None, result: AgentResult | None
    ) -> None:
        said = _find_answer(answer, result)
        if said is None:
            return
        keeps_calls = self._settings.keep_tool_calls and result is not None and result.success
        added = result.messages if result is not None and keeps_calls else ()
        await self._append(command, exchange(question_of(command), added, answer=said), result)

    async def _append(
        self, command: AgentCommand, messages: Sequence[Message], result: AgentResult | None
    ) -> None:
        """Append a run, unless the session has it; of large attachments a line is kept."""
        session_id, most = command.session_id, self._settings.max_attachment_bytes
        if not session_id:
            return
        run_id = None if result is None else result.run_id or None
        kept = [drop_large(message, max_bytes=most) for message in messages]
        appending = self._store.append(session_id, kept, owner=get_owner(command), run_id=run_id)
        await self._catch_refusal(appending, None)

    async def _catch_refusal(self, work: Awaitable[T], otherwise: T) -> T:
        """The result of work in a session, or what stands for it if that is another user's."""
        try:
            return await work
        except SessionOwnershipError as refusal:
            self._log_refusal(refusal)
            return otherwise

    def _log_refusal(self, refusal: SessionOwnershipError) -> None:
        self._logger.warning(
            "conversation belongs to another user, session left alone",
            refused_session_id=refusal.session_id,
        )


def get_owner(command: AgentCommand) -> ConversationOwner:
    """Whom the session of a command would belong to."""
    return ConversationOwner(
        user_id=identity_of(command.user_id), tenant_id=tenant_of(command.tenant_id)
    )


def exchange(
    question: UserMessage, added: Sequence[Message], *, answer: AssistantMessage
) -> tuple[Message, ...]:
    """The messages to keep, the question first and the answer last.

    What the run has added is empty, or begins with its question and has the tool calls to keep. The
    answer is what the caller got, which filters may have changed since the model said it.
    """
    between = list(added[1:])
    last = between[-1] if between else None
    if isinstance(last, AssistantMessage) and not last.tool_calls:
        if last.content == answer.content:
            return question, *between
        between.pop()
    return question, *between, answer


def _find_answer(text: str | None, result: AgentResult | None) -> AssistantMessage | None:
    """The answer to keep: a text, or if there are images, the message with what it was sent in.

    None if there is nothing to keep.
    """
    added = result.messages if result is not None and result.success else ()
    said = added[-1] if added else None
    if isinstance(said, AssistantMessage) and not isinstance(said.content, str):
        changed = replace_text(said.content, text or "")
        return said if changed == said.content else AssistantMessage(changed)
    return AssistantMessage(text) if text and _is_answer(text) else None


def _is_answer(text: str | None) -> bool:
    return bool(text and text.strip())
