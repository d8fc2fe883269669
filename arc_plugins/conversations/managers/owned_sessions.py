"""A session is read and written by its owner only, whichever manager remembers it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from arc_core import (
    DEFAULT_AGENT,
    AgentCommand,
    ConversationOwner,
    ConversationStore,
    HandoffStore,
    Logger,
    Message,
    OfferedToolsStore,
    RefusedHistory,
    SessionOwnershipError,
    identity_of,
    tenant_of,
)
from arc_core.messages.attachments import drop_large
from arc_plugins.conversations.settings import HistorySettings


class OwnedSessions:
    """Reads and writes in the name of a command's user.

    Whose a session is, the store decides while it reads or writes. A refusal is logged and never
    fails a run; what else goes wrong in the store is raised, for the engine to log and count.
    """

    def __init__(
        self, *, store: ConversationStore, settings: HistorySettings, logger: Logger
    ) -> None:
        self._store, self._settings, self._logger = store, settings, logger
        self._handoffs = store if isinstance(store, HandoffStore) else None
        self._offered_tools = store if isinstance(store, OfferedToolsStore) else None

    @property
    def remember_handoffs(self) -> bool:
        """True if the store keeps them."""
        return self._handoffs is not None

    @property
    def remember_offered_tools(self) -> bool:
        """True if the store keeps them."""
        return self._offered_tools is not None

    async def load(
        self, command: AgentCommand, *, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        """The last turns of a command's session, if it has one; of another user's, the refusal."""
        session_id = command.session_id
        if not session_id:
            return ()
        try:
            return await self._store.load(
                session_id, owner=get_owner(command), max_turns=max_turns, step=step
            )
        except SessionOwnershipError:
            self.log_refusal(session_id)
            return RefusedHistory()

    async def append(
        self, command: AgentCommand, messages: Iterable[Message], *, run_id: str | None
    ) -> None:
        """Append a run to a command's session, unless it is another user's, or has the run.

        Of an attachment larger than `conversation.max_attachment_bytes` a line is kept.
        """
        session_id = command.session_id
        if not session_id:
            return
        most = self._settings.max_attachment_bytes
        kept = [drop_large(message, max_bytes=most) for message in messages]
        try:
            await self._store.append(session_id, kept, owner=get_owner(command), run_id=run_id)
        except SessionOwnershipError:
            self.log_refusal(session_id)

    async def load_handoffs(self, command: AgentCommand) -> Mapping[str, str]:
        """Those of a command's session; none of another user's, and none without one."""
        session_id = command.session_id
        if self._handoffs is None or not session_id:
            return {}
        try:
            return await self._handoffs.load_handoffs(session_id, owner=get_owner(command))
        except SessionOwnershipError:
            self.log_refusal(session_id)
            return {}

    async def keep_handoffs(self, command: AgentCommand, handoffs: Mapping[str, str]) -> None:
        """Replace those of a command's session, unless it is another user's."""
        session_id = command.session_id
        if self._handoffs is not None and session_id:
            await self._handoffs.keep_handoffs(session_id, handoffs, owner=get_owner(command))

    async def load_offered_tools(self, command: AgentCommand) -> Collection[str]:
        """Those of a command's agent; none of another user's session, and none without one."""
        session_id = command.session_id
        if self._offered_tools is None or not session_id:
            return ()
        try:
            return await self._offered_tools.load_offered_tools(
                session_id, command.agent or DEFAULT_AGENT, owner=get_owner(command)
            )
        except SessionOwnershipError:
            self.log_refusal(session_id)
            return ()

    async def keep_offered_tools(self, command: AgentCommand, tools: Collection[str]) -> None:
        """Replace those of a command's agent in its session, unless it is another user's."""
        session_id, agent = command.session_id, command.agent or DEFAULT_AGENT
        if self._offered_tools is not None and session_id:
            await self._offered_tools.keep_offered_tools(
                session_id, agent, tools, owner=get_owner(command)
            )

    def log_refusal(self, session_id: str) -> None:
        """Say in the log that a session is another user's."""
        self._logger.warning(
            "conversation belongs to another user, session left alone",
            refused_session_id=session_id,
        )


def get_owner(command: AgentCommand) -> ConversationOwner:
    """Whom the session of a command would belong to."""
    return ConversationOwner(
        user_id=identity_of(command.user_id), tenant_id=tenant_of(command.tenant_id)
    )
