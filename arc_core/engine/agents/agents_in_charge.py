"""The agent in charge of a session that was handed over."""

from collections.abc import Mapping, Sequence
from functools import partial

from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.command import AgentCommand, session_key
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.session_memory import SessionMemory
from arc_core.interfaces.conversations.conversation_manager import ConversationManager
from arc_core.interfaces.optional import RemembersHandoffs

_MAX_SESSIONS = 10_000
_NONE: Mapping[str, str] = {}


class AgentsInCharge:
    """Knows which agent has taken over from the one that a command names.

    The conversation manager keeps it, if it can; else it is remembered here for the sessions that
    were used last. With a forgotten session the agent that is asked begins, and may hand over
    again.
    """

    def __init__(
        self, manager: ConversationManager, *, boundary: Boundary, agents: Sequence[Agent]
    ) -> None:
        self._manager: RemembersHandoffs | None = None
        if isinstance(manager, RemembersHandoffs) and manager.remembers_handoffs:
            self._manager = manager
        self._boundary = boundary
        self._names = frozenset((DEFAULT_AGENT, *(agent.name for agent in agents)))
        self._handing_over = frozenset(agent.name for agent in agents if agent.handoffs)
        self._by_session: SessionMemory[Mapping[str, str]] = SessionMemory(
            max_sessions=_MAX_SESSIONS
        )

    async def find(self, run: ActiveRun) -> str:
        """The agent that answers the command of a run: mostly the one that is asked."""
        asked = run.agent
        if asked not in self._handing_over or not run.command.session_id:
            return asked
        run.earlier_handoffs = await self._load(run.command)
        name = run.earlier_handoffs.get(asked, asked)
        return name if name in self._names else asked

    async def remember(self, run: ActiveRun) -> None:
        """Note who has taken over from whom in a run that has succeeded."""
        command, taken = run.command, dict(run.earlier_handoffs)
        if not command.session_id:
            return
        for before, after in run.handoffs:
            taken = {name: after if now == before else now for name, now in taken.items()}
            taken[before] = after
            taken.pop(after, None)
        if self._manager is None:
            self._by_session.put(_session_key(command), taken)
            return
        await self._boundary.call(
            policies.HANDOFFS_SAVE,
            self._manager,
            partial(self._manager.save_handoffs, command, taken),
        )

    async def _load(self, command: AgentCommand) -> Mapping[str, str]:
        if self._manager is None:
            return self._by_session.get(_session_key(command)) or _NONE
        found = await self._boundary.call(
            policies.HANDOFFS_LOAD, self._manager, partial(self._manager.load_handoffs, command)
        )
        return _NONE if isinstance(found, Failed) else found


def _session_key(command: AgentCommand) -> str:
    """That of the session, whichever agent is asked or in charge."""
    return session_key(command.model_copy(update={"agent": None})) or ""
