"""Which agent goes on with a session that was handed over."""

from collections.abc import Mapping, Sequence

from arc_core.command import AgentCommand, identity_of
from arc_core.engine.agent_profiles import name_of_agent
from arc_core.engine.session_memory import SessionMemory

__all__ = ["AgentsInCharge"]

_MAX_SESSIONS = 10_000


class AgentsInCharge:
    """Sends the commands of a session to the agent that has taken over from the one they name.

    Remembers the sessions that were used last: with a forgotten one the agent that is asked
    begins, and may hand over again.
    """

    def __init__(self) -> None:
        self._by_session: SessionMemory[Mapping[str, str]] = SessionMemory(
            max_sessions=_MAX_SESSIONS
        )
        self._is_empty = True

    def route(self, command: AgentCommand) -> AgentCommand:
        """The command, for the agent that is in charge."""
        key = None if self._is_empty else _key_of(command)
        if key is None:
            return command
        name = (self._by_session.get(key) or {}).get(name_of_agent(command))
        return command if name is None else command.model_copy(update={"agent": name})

    def remember(self, command: AgentCommand, handoffs: Sequence[tuple[str, str]]) -> None:
        """Note who has taken over from whom in a run that has succeeded."""
        key = _key_of(command)
        if key is None or not handoffs:
            return
        taken = dict(self._by_session.get(key) or {})
        for before, after in handoffs:
            taken = {name: after if now == before else now for name, now in taken.items()}
            taken[before] = after
            taken.pop(after, None)
        self._by_session.put(key, taken)
        self._is_empty = False


def _key_of(command: AgentCommand) -> str | None:
    if not command.session_id:
        return None
    return "\0".join((command.tenant_id or "", identity_of(command.user_id), command.session_id))
