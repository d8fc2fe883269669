"""A session is read and written by its owner only, whichever manager remembers it."""

from collections.abc import Sequence

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
    """Reads and writes in the name of a command's user.

    Whose a session is, the store decides while it reads or writes. A refusal is logged and never
    fails a run; what else goes wrong in the store is raised, for the engine to log and count.
    """

    def __init__(self, *, store: ConversationStore, logger: Logger) -> None:
        self._store, self._logger = store, logger

    async def load(
        self, command: AgentCommand, *, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        """The last turns of a command's session; none of another user's, and none without one."""
        session_id = command.session_id
        if not session_id:
            return ()
        try:
            return await self._store.load(
                session_id, owner=owner_of(command), max_turns=max_turns, step=step
            )
        except SessionOwnershipError:
            self.log_refusal(session_id)
            return ()

    async def append(self, command: AgentCommand, *messages: Message) -> None:
        """Append to a command's session, unless it is another user's."""
        session_id = command.session_id
        if not session_id:
            return
        try:
            await self._store.append(session_id, messages, owner=owner_of(command))
        except SessionOwnershipError:
            self.log_refusal(session_id)

    def log_refusal(self, session_id: str) -> None:
        """Say in the log that a session is another user's."""
        self._logger.warning(
            "conversation belongs to another user, session left alone",
            refused_session_id=session_id,
        )


def owner_of(command: AgentCommand) -> ConversationOwner:
    """Whom the session of a command would belong to."""
    tenant_id = (command.tenant_id or "").strip() or None
    return ConversationOwner(user_id=identity_of(command.user_id), tenant_id=tenant_id)
