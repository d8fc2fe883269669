"""A session is read and written by its owner only, whichever manager remembers it."""

from arc_core import (
    AgentCommand,
    ConversationOwner,
    ConversationStore,
    Logger,
    Message,
    SessionOwnershipError,
    identity_of,
)

__all__ = ["OwnedSessions", "owner_of"]


class OwnedSessions:
    """Asks the store whose a session is; a refusal is logged and never fails a run."""

    def __init__(self, *, store: ConversationStore, logger: Logger) -> None:
        self._store, self._logger = store, logger

    async def is_open_to(self, command: AgentCommand) -> bool:
        """Whether the session is free or the user's own; a failed look-up counts as neither."""
        session_id = command.session_id
        if not session_id:
            return False
        try:
            owner = await self._store.owner_of(session_id)
        except Exception:  # who cannot be looked up must not be trusted, nor fail the run
            self._logger.exception("conversation owner unknown, session left alone")
            return False
        if owner in {None, owner_of(command)}:
            return True
        self._log_refusal(session_id)
        return False

    async def append(self, command: AgentCommand, *messages: Message) -> None:
        """Append to the session of a command, where it is open to its user."""
        session_id = command.session_id
        if not session_id or not await self.is_open_to(command):
            return
        try:
            await self._store.append(session_id, messages, owner=owner_of(command))
        except SessionOwnershipError:  # somebody else wrote first since the look-up
            self._log_refusal(session_id)

    def _log_refusal(self, session_id: str) -> None:
        self._logger.warning(
            "conversation belongs to another user, session left alone",
            refused_session_id=session_id,
        )


def owner_of(command: AgentCommand) -> ConversationOwner:
    """Whom the session of a command would belong to."""
    tenant_id = (command.tenant_id or "").strip() or None
    return ConversationOwner(user_id=identity_of(command.user_id), tenant_id=tenant_id)
