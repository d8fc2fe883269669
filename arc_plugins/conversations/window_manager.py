"""Remembers the last turns of a conversation word for word: the default.

Costs the tokens of those turns in every run. Settings: `conversation.max_turns`,
`conversation.on_failure`.
"""

from collections.abc import Sequence

from arc_core import (
    AgentCommand,
    AgentResult,
    AssistantMessage,
    ConversationManager,
    ConversationOwner,
    ConversationStore,
    Logger,
    Message,
    SessionOwnershipError,
    UserMessage,
    identity_of,
)
from arc_core.settings import ConversationSettings, OnFailure

__all__ = ["WindowConversationManager"]


class WindowConversationManager(ConversationManager):
    """Loads the last turns and appends a pair per run, for the owner of the session only."""

    def __init__(
        self, *, store: ConversationStore, settings: ConversationSettings, logger: Logger
    ) -> None:
        self._store, self._settings, self._logger = store, settings, logger

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        """The last turns, oldest first; none of somebody else's session."""
        session_id = command.session_id
        if not session_id or not await self._is_owner(session_id, command):
            return ()
        return await self._store.load(session_id, max_turns=self._settings.max_turns)

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        """Append the prompt with its answer; of a failure what `conversation.on_failure` says."""
        if result.success:
            await self._append(command, result.content)
        elif self._settings.on_failure is not OnFailure.NOTHING:
            await self._append_failed(command, result.partial_content)

    async def save_streaming_history(self, command: AgentCommand, content: str) -> None:
        """Append the prompt with the text of the stream's last turn."""
        await self._append(command, content)

    async def _append(self, command: AgentCommand, answer: str | None) -> None:
        if answer and answer.strip():
            await self._save(command, _question(command), AssistantMessage(answer))

    async def _append_failed(self, command: AgentCommand, partial: str | None) -> None:
        if self._settings.on_failure is OnFailure.PARTIAL and partial and partial.strip():
            await self._append(command, partial)
        else:
            await self._save(command, _question(command))

    async def _save(self, command: AgentCommand, *messages: Message) -> None:
        session_id = command.session_id
        if not session_id or not await self._is_owner(session_id, command):
            return
        try:
            await self._store.append(session_id, messages, owner=_owner(command))
        except SessionOwnershipError:  # somebody else wrote first since the look-up
            self._log_refusal(session_id)

    async def _is_owner(self, session_id: str, command: AgentCommand) -> bool:
        """Whether the session is free or the user's own; a failed look-up counts as neither."""
        try:
            owner = await self._store.owner_of(session_id)
        except Exception:  # who cannot be looked up must not be trusted, nor fail the run
            self._logger.exception("conversation owner unknown, session left alone")
            return False
        if owner in {None, _owner(command)}:
            return True
        self._log_refusal(session_id)
        return False

    def _log_refusal(self, session_id: str) -> None:
        self._logger.warning(
            "conversation belongs to another user, session left alone",
            refused_session_id=session_id,
        )


def _question(command: AgentCommand) -> UserMessage:
    return UserMessage(command.user_prompt)


def _owner(command: AgentCommand) -> ConversationOwner:
    tenant_id = (command.tenant_id or "").strip() or None
    return ConversationOwner(user_id=identity_of(command.user_id), tenant_id=tenant_id)
