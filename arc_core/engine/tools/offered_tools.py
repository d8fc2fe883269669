"""The tools that the requests of a session have offered."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from arc_core.command import AgentCommand, session_key
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.session_memory import SessionMemory
from arc_core.interfaces.conversations.conversation_manager import (
    ConversationManager,
    RemembersOfferedTools,
)

_MAX_SESSIONS = 10_000


@dataclass(frozen=True, slots=True)
class EarlierTools:
    """The tools offered before.

    Attributes:
        is_kept: Whether the conversation manager has them, so that other processes know them.
    """

    names: frozenset[str]
    is_kept: bool = False


NEVER_OFFERED = EarlierTools(frozenset())


class OfferedTools:
    """Remembers the tools that each agent was offered in a session.

    The conversation manager keeps them, if it can; else they are remembered here for the sessions
    that were used last. A session whose tools were forgotten begins its next request anew.
    """

    def __init__(self, manager: ConversationManager, *, boundary: Boundary) -> None:
        self._manager: RemembersOfferedTools | None = None
        if isinstance(manager, RemembersOfferedTools) and manager.remembers_offered_tools:
            self._manager = manager
        self._boundary = boundary
        self._by_session: SessionMemory[frozenset[str]] = SessionMemory(max_sessions=_MAX_SESSIONS)

    async def load(self, command: AgentCommand) -> EarlierTools:
        """The tools that the agent of a command was offered in its session."""
        key = session_key(command)
        if key is None:
            return NEVER_OFFERED
        if self._manager is not None and (kept := await self._load_kept(command)):
            return EarlierTools(frozenset(kept), is_kept=True)
        return EarlierTools(self._by_session.get(key) or frozenset())

    def note(self, run: ActiveRun, names: frozenset[str], *, before: EarlierTools | None) -> None:
        """Remember what a run offers; without the tools of `load`, in this process alone."""
        key = session_key(run.command)
        if key is None:
            return
        self._by_session.put(key, names)
        if before is not None and not (before.is_kept and before.names == names):
            run.offered_tools.append((run.command, names))

    async def save(self, run: ActiveRun) -> None:
        """Have kept what a run has offered; its session is there once the run has been saved."""
        manager, offered = self._manager, run.offered_tools
        if manager is None or not run.passed_hooks:
            return
        for command, names in offered:
            await self._boundary.call(
                policies.OFFERED_TOOLS_SAVE,
                manager,
                partial(manager.save_offered_tools, command, names),
            )

    async def _load_kept(self, command: AgentCommand) -> Collection[str]:
        manager = self._manager
        assert manager is not None
        found = await self._boundary.call(
            policies.OFFERED_TOOLS_LOAD, manager, partial(manager.load_offered_tools, command)
        )
        return () if isinstance(found, Failed) else found
