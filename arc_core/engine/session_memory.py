"""The memory of sessions: who is in charge of one, and which tools its requests have offered.

The conversation manager keeps both, if it can; else they are remembered here for the sessions that
were used last.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.command import AgentCommand, session_key
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.run_state import ActiveRun
from arc_core.interfaces.conversations.conversation_manager import (
    ConversationManager,
    RemembersOfferedTools,
)
from arc_core.interfaces.optional import RemembersHandoffs

V = TypeVar("V")


class SessionMemory(Generic[V]):
    """A value for each of the sessions that were used last; others are forgotten."""

    __slots__ = ("_max_sessions", "_values")

    def __init__(self, *, max_sessions: int = 10_000) -> None:
        self._max_sessions = max_sessions
        self._values: OrderedDict[str, V] = OrderedDict()

    def get(self, key: str) -> V | None:
        """Return the value put last for a session, if it is remembered."""
        return self._values.get(key)

    def put(self, key: str, value: V) -> None:
        """Remember a value of a session in place of the one before."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._max_sessions:
            self._values.popitem(last=False)


_NONE: Mapping[str, str] = {}


class AgentsInCharge:
    """Knows which agent has taken over from the one that a command names.

    With a forgotten session the agent that is asked begins, and may hand over again.
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
        self._by_session: SessionMemory[Mapping[str, str]] = SessionMemory()

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

    A session whose tools were forgotten begins its next request anew.
    """

    def __init__(self, manager: ConversationManager, *, boundary: Boundary) -> None:
        self._manager: RemembersOfferedTools | None = None
        if isinstance(manager, RemembersOfferedTools) and manager.remembers_offered_tools:
            self._manager = manager
        self._boundary = boundary
        self._by_session: SessionMemory[frozenset[str]] = SessionMemory()

    async def load(self, command: AgentCommand) -> EarlierTools:
        """The tools that the agent of a command was offered in its session."""
        key = session_key(command)
        if key is None:
            return NEVER_OFFERED
        if (manager := self._manager) is not None:
            kept = await self._boundary.call(
                policies.OFFERED_TOOLS_LOAD, manager, partial(manager.load_offered_tools, command)
            )
            if kept and not isinstance(kept, Failed):
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
