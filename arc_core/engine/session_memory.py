"""The memory of sessions by which their requests begin alike.

Nothing that a run needs: what was forgotten costs a vendor's cache once.
"""

import hashlib
from collections import OrderedDict
from typing import Generic, TypeVar

from arc_core.agents.agent import DEFAULT_AGENT
from arc_core.command import AgentCommand, identity_of, tenant_of

V = TypeVar("V")


def session_key(command: AgentCommand) -> str | None:
    """A hash of agent and session, 64 characters long; None for a run without a session.

    A session is that of its tenant and its user: another one's of the same id has another key.
    """
    if not command.session_id:
        return None
    tenant, user = tenant_of(command.tenant_id) or "", identity_of(command.user_id)
    names = (command.agent or DEFAULT_AGENT, tenant, user, command.session_id)
    text = "".join(f"{len(name)}:{name}" for name in names)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class SessionMemory(Generic[V]):
    """A value for each of the sessions that were used last.

    Args:
        max_sessions: The least recently used ones are forgotten.
    """

    __slots__ = ("_max_sessions", "_values")

    def __init__(self, *, max_sessions: int) -> None:
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
