"""Callers over a network, the rights of their keys, and what these permit.

A key says which tenants, users and agents it is for, and by `decide` whether it has the right to
decide about tool calls. A name without a key, as `arc runs` and programs give it, has the right,
too, but not about the runs of a user of that name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from arc_core.command import DEFAULT_AGENT, AgentCommand, identity_of
from arc_core.errors import DecisionRightError, NotPermittedError, UnknownAgentError
from arc_core.messages import SystemMessage
from arc_core.requests import ApprovalRequest, Request, is_same_decider
from arc_core.runs.summaries import RunSummary

DecideRight = bool | Literal["own"]
"""The right to decide about tool calls: none, about the runs of others, or about its own, too."""

_SETTING = "server.api_keys"
_RECORDS = "the records of runs; set records = true for the key in server.api_keys"
_INSTRUCTIONS = (
    "instructions of its own: send no system or developer message, no instructions and no "
    "system_prompt, or set instructions = true for the key in server.api_keys"
)


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
        return self.tenant_id is None and self._is_for_all

    @property
    def decide_right(self) -> DecideRight:
        """The right to decide that it has, with the default in the place of None."""
        return self._is_for_all if self.decide is None else self.decide

    @property
    def may_instruct(self) -> bool:
        """True if it has the right to instruct agents, with the default in the place of None."""
        return self._is_for_all if self.instructions is None else self.instructions

    @property
    def may_see_records(self) -> bool:
        """True if it has the right to see records of runs, with the default in the place of None.

        They have what an answer does not show: system prompts, arguments, results of tools.
        """
        return self._is_for_all if self.records is None else self.records

    @property
    def _is_for_all(self) -> bool:
        """True if the key is bound to no users and no agents; then it has all rights by default."""
        return self.user_ids is None and self.agents is None


def permit(command: AgentCommand, caller: Caller, agents: Sequence[str]) -> AgentCommand:
    """The command, with the tenant and the user of the key if the key is for one.

    Raises:
        NotPermittedError: The key is not for the tenant, the user or the agent, it has no right to
            instruct agents and does, or it calls a tool and is for some agents.
        UnknownAgentError: There is no such agent.
    """
    agent = command.agent or DEFAULT_AGENT
    known = [each for each in agents if caller.agents is None or each in caller.agents]
    if agent not in agents:
        raise UnknownAgentError(agent, known=known)
    if agent not in known:
        raise NotPermittedError(f"the agent {agent!r}", key=caller.name)
    if command.tool_call is not None and caller.agents is not None:
        raise NotPermittedError("tools; it is for some agents", key=caller.name)
    if _has_instructions(command) and not caller.may_instruct:
        raise NotPermittedError(_INSTRUCTIONS, key=caller.name)
    owner = {"tenant_id": tenant_for(command.tenant_id, caller)}
    owner["user_id"] = user_for(command.user_id, caller)
    return command.model_copy(update=owner)


def _has_instructions(command: AgentCommand) -> bool:
    return command.system_prompt is not None or any(
        isinstance(each, SystemMessage) for each in command.conversation_history
    )


def tenant_for(named: str | None, caller: Caller) -> str | None:
    """The tenant of a request; refuses another one than the key is bound to."""
    if caller.tenant_id is None:
        return named
    if named not in {None, caller.tenant_id}:
        raise NotPermittedError(f"the tenant {named!r}", key=caller.name)
    return caller.tenant_id


def user_for(named: str | None, caller: Caller) -> str | None:
    """The user of a request, else that of a key for a single one; refuses users of other keys."""
    if caller.user_ids is None:
        return named
    if named is None and len(caller.user_ids) == 1:
        return next(iter(caller.user_ids))
    if named is None:
        raise NotPermittedError("requests without a user; name one of its users", key=caller.name)
    if identity_of(named) not in caller.user_ids:
        raise NotPermittedError(f"the user {named!r}", key=caller.name)
    return named


def may_see(run: RunSummary, caller: Caller) -> bool:
    """Return whether the key is for the tenant, the user and the agent of a run."""
    return (
        caller.tenant_id in {None, run.tenant_id}
        and (caller.user_ids is None or identity_of(run.user_id) in caller.user_ids)
        and (caller.agents is None or run.agent in caller.agents)
    )


def check_records(caller: Caller) -> None:
    """Refuse a caller that has no right to see the records of runs, whichever these are."""
    if not caller.may_see_records:
        raise NotPermittedError(_RECORDS, key=caller.name)


def may_see_requests(run: RunSummary, caller: Caller) -> bool:
    """Return whether the key decides about a run that is not of its users.

    A right of its own, as `decide = true` of a key that is bound to users, is about the runs of
    others: those of its tenant and of its agents.
    """
    return caller.decide is True and may_see(run, replace(caller, user_ids=None))


def check_any_right(caller: Caller) -> None:
    """Refuse a caller that has no right to decide about any call."""
    if caller.decide_right is False:
        raise DecisionRightError(
            "its key has no right to decide",
            key=caller.name,
            remedy=f"set decide = true for it in {_SETTING}, or use a key that has the right",
        )


def check_right(request: Request, caller: Caller) -> None:
    """Refuse a caller that has no right to decide about a request.

    Questions and logins are put to the user of the run: a key answers them that is for that user.
    """
    if isinstance(request, ApprovalRequest):
        check_any_right(caller)
        found = _find_obstacle(request, caller)
    else:
        found = _find_other_user(request, caller)
    if found is not None:
        problem, remedy = found
        raise DecisionRightError(problem, key=caller.name, tool=request.tool, remedy=remedy)


def _find_obstacle(request: Request, caller: Caller) -> tuple[str, str] | None:
    """Return why the right of a caller does not reach to a call, and the remedy."""
    if caller.tenant_id not in {None, request.tenant_id}:
        return (
            "its key is bound to another tenant",
            f"use a key that {_SETTING} binds to the tenant of the run, or to none",
        )
    if request.deciders and not {caller.name, *caller.groups}.intersection(request.deciders):
        return (
            f"it waits for {' or '.join(request.deciders)}",
            f"name it or one of its groups in approvals.by, or add a group in {_SETTING}",
        )
    user = identity_of(request.user_id)
    own = {caller.name} if caller.user_ids is None else caller.user_ids
    if caller.decide_right is True and user in own:
        return (
            f"the run is its own, as it is for the user {user!r}",
            f'let another key decide, or set decide = "own" for this one in {_SETTING}',
        )
    return None


def _find_other_user(request: Request, caller: Caller) -> tuple[str, str] | None:
    if caller.tenant_id in {None, request.tenant_id} and may_answer(request, caller):
        return None
    return (
        f"it is put to the user {identity_of(request.user_id)!r}",
        f"use a key that {_SETTING} binds to the user and the tenant of the run",
    )


def may_answer(request: Request, caller: Caller) -> bool:
    """Return whether a caller is, or speaks for, the user to whom a question or a login is put."""
    return caller.user_ids is None or identity_of(request.user_id) in caller.user_ids


def has_right(request: Request, caller: Caller) -> bool:
    """Return whether a caller may decide about a request, and has not approved it yet."""
    if any(is_same_decider(each.by, caller.name) for each in request.approvals):
        return False
    try:
        check_right(request, caller)
    except DecisionRightError:
        return False
    return True
