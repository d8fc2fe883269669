"""Remembers the last turns of a conversation word for word: the default.

Costs the tokens of those turns in every run, which vendors bill at about a tenth while the history
begins with the same turn: so it is cut in steps of half of `conversation.max_turns`. Settings:
`conversation.max_turns`, `conversation.trim`, `conversation.on_failure`,
`conversation.keep_tool_calls`, `conversation.max_attachment_bytes`.
"""

from collections.abc import Collection, Mapping, Sequence

from arc_core import (
    AgentCommand,
    AgentResult,
    ConversationManager,
    ConversationStore,
    Logger,
    Message,
    question_of,
)
from arc_core.settings import OnFailure
from arc_plugins.conversations.managers.owned_sessions import OwnedSessions
from arc_plugins.conversations.managers.turns import exchange
from arc_plugins.conversations.settings import HistorySettings


class WindowConversationManager(ConversationManager):
    """Loads the last turns and appends a pair per run, for the owner of the session only."""

    def __init__(
        self, *, store: ConversationStore, settings: HistorySettings, logger: Logger
    ) -> None:
        self._settings = settings
        self._sessions = OwnedSessions(store=store, settings=settings, logger=logger)

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        """The last turns, oldest first; a `RefusedHistory` of another user's session."""
        return await self._sessions.load(
            command, max_turns=self._settings.max_turns, step=self._settings.step
        )

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        """Append the prompt with its answer; of a failure what `conversation.on_failure` says."""
        on_failure = self._settings.on_failure
        if result.success:
            await self._append(command, result.content, result)
        elif on_failure is OnFailure.PARTIAL and _is_answer(result.partial_content):
            await self._append(command, result.partial_content, result)
        elif on_failure is not OnFailure.NOTHING:
            await self._sessions.append(command, [question_of(command)], run_id=_run_id(result))

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        """Append the prompt with the text of the stream's last turn."""
        await self._append(command, content, result)

    @property
    def remembers_handoffs(self) -> bool:
        """True if the store keeps them."""
        return self._sessions.remember_handoffs

    async def load_handoffs(self, command: AgentCommand) -> Mapping[str, str]:
        """Return the agents that answer for others; none of another user's session."""
        return await self._sessions.load_handoffs(command)

    async def save_handoffs(self, command: AgentCommand, handoffs: Mapping[str, str]) -> None:
        """Replace those of the session."""
        await self._sessions.keep_handoffs(command, handoffs)

    @property
    def remembers_offered_tools(self) -> bool:
        """True if the store keeps them."""
        return self._sessions.remember_offered_tools

    async def load_offered_tools(self, command: AgentCommand) -> Collection[str]:
        """The tools that the agent was offered; none of another user's session."""
        return await self._sessions.load_offered_tools(command)

    async def save_offered_tools(self, command: AgentCommand, tools: Collection[str]) -> None:
        """Replace those of the agent in the session."""
        await self._sessions.keep_offered_tools(command, tools)

    async def _append(
        self, command: AgentCommand, answer: str | None, result: AgentResult | None
    ) -> None:
        if answer is None or not _is_answer(answer):
            return
        keeps_calls = self._settings.keep_tool_calls and result is not None and result.success
        added = result.messages if result is not None and keeps_calls else ()
        messages = exchange(question_of(command), added, answer=answer)
        await self._sessions.append(command, messages, run_id=_run_id(result))


def _is_answer(text: str | None) -> bool:
    return bool(text and text.strip())


def _run_id(result: AgentResult | None) -> str | None:
    return None if result is None else result.run_id or None
