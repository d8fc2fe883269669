"""Remembers the last turns of a conversation word for word: the default.

Costs the tokens of those turns in every run, which vendors bill at about a tenth while the history
begins with the same turn: so it is cut in steps of half of `conversation.max_turns`. Settings:
`conversation.max_turns`, `conversation.trim`, `conversation.on_failure`.
"""

from collections.abc import Sequence

from arc_core import (
    AgentCommand,
    AgentResult,
    AssistantMessage,
    ConversationManager,
    ConversationStore,
    Logger,
    Message,
    UserMessage,
)
from arc_core.settings import OnFailure
from arc_plugins.conversations.managers.owned_sessions import OwnedSessions
from arc_plugins.conversations.settings import ConversationSettings

__all__ = ["WindowConversationManager"]


class WindowConversationManager(ConversationManager):
    """Loads the last turns and appends a pair per run, for the owner of the session only."""

    def __init__(
        self, *, store: ConversationStore, settings: ConversationSettings, logger: Logger
    ) -> None:
        self._settings = settings
        self._sessions = OwnedSessions(store=store, logger=logger)

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        """The last turns, oldest first; none of another user's session."""
        return await self._sessions.load(
            command, max_turns=self._settings.max_turns, step=self._settings.step
        )

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
            await self._sessions.append(command, _question(command), AssistantMessage(answer))

    async def _append_failed(self, command: AgentCommand, partial: str | None) -> None:
        if self._settings.on_failure is OnFailure.PARTIAL and partial and partial.strip():
            await self._append(command, partial)
        else:
            await self._sessions.append(command, _question(command))


def _question(command: AgentCommand) -> UserMessage:
    return UserMessage(command.user_prompt)
