"""Callers over a network, and the rights of their keys."""

from dataclasses import dataclass
from typing import Literal

DecideRight = bool | Literal["own"]
"""The right to decide about tool calls: none, about the runs of others, or about its own, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller over the network, as the key tells.

    Attributes:
        name: Of the key; audit logs and decisions have it.
        tenant_id: The tenant that the key is bound to; None is not bound.
        user_ids: The users that it may speak for; None is every user.
        agents: The agents that it may ask; None is every agent.
        decide: Whether it may decide about tool calls that wait: True about those of all runs but
            its own, "own" about those of every run that it sees, its own among them. None is True
            for a key that is bound to no users and no agents, and False for any other.
        groups: The names of groups that it belongs to, which `approvals.by` may name.
        instructions: Whether its system and developer messages may stand in the place of an agent's
            instructions. None is as for `decide`.
        records: Whether it may list runs and look at their steps, of those runs that it sees. None
            is as for `decide`.
    """

    name: str
    tenant_id: str | None = None
    user_ids: frozenset[str] | None = None
    agents: frozenset[str] | None = None
    decide: DecideRight | None = None
    groups: frozenset[str] = frozenset()
    instructions: bool | None = None
    records: bool | None = None

    @property
    def is_unbound(self) -> bool:
        """True if the key is for every tenant, user and agent, as an operator's is."""
        return self.tenant_id is None and self.user_ids is None and self.agents is None

    @property
    def decide_right(self) -> DecideRight:
        """The right to decide that it has, with the default in the place of None."""
        if self.decide is not None:
            return self.decide
        return self.user_ids is None and self.agents is None

    @property
    def may_instruct(self) -> bool:
        """True if it has the right to instruct agents, with the default in the place of None."""
        if self.instructions is not None:
            return self.instructions
        return self.user_ids is None and self.agents is None

    @property
    def may_see_records(self) -> bool:
        """True if it has the right to see records of runs, with the default in the place of None.

        They have what an answer does not show: system prompts, arguments, results of tools.
        """
        if self.records is not None:
            return self.records
        return self.user_ids is None and self.agents is None
