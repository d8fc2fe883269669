"""The right to decide about tool calls: one rule for programs, `arc runs` and all that is served.

A key of `server.api_keys` says by `decide` whether it has the right. A name without a key, as
`arc runs` and programs give it, has the right, too, but not about the runs of a user of that name.
"""

from arc_core.approvals import ApprovalRequest, is_same_decider
from arc_core.command import identity_of
from arc_core.errors import DecisionRightError
from arc_core.interfaces.serving.served_application import Caller

__all__ = ["check_any_right", "check_right", "has_right"]

_SETTING = "server.api_keys"


def check_any_right(caller: Caller) -> None:
    """Refuse a caller that has no right to decide about any call.

    Raises:
        DecisionRightError: It has none.
    """
    if caller.decide_right is False:
        raise DecisionRightError(
            "its key has no right to decide",
            key=caller.name,
            remedy=f"set decide = true for it in {_SETTING}, or use a key that has the right",
        )


def check_right(request: ApprovalRequest, caller: Caller) -> None:
    """Refuse a caller that has no right to decide about a call.

    Raises:
        DecisionRightError: It has none.
    """
    check_any_right(caller)
    if caller.tenant_id not in {None, request.tenant_id}:
        raise DecisionRightError(
            "its key is bound to another tenant",
            key=caller.name,
            tool=request.tool,
            remedy=f"use a key that {_SETTING} binds to the tenant of the run, or to none",
        )
    _check_deciders(request, caller)
    if caller.decide_right is True:
        _check_is_of_others(request, caller)


def _check_deciders(request: ApprovalRequest, caller: Caller) -> None:
    if request.deciders and not {caller.name, *caller.groups}.intersection(request.deciders):
        raise DecisionRightError(
            f"it waits for {' or '.join(request.deciders)}",
            key=caller.name,
            tool=request.tool,
            remedy=f"name it or one of its groups in approvals.by, or add a group in {_SETTING}",
        )


def _check_is_of_others(request: ApprovalRequest, caller: Caller) -> None:
    user = identity_of(request.user_id)
    own = {caller.name} if caller.user_ids is None else caller.user_ids
    if user in own:
        raise DecisionRightError(
            f"the run is its own, as it is for the user {user!r}",
            key=caller.name,
            tool=request.tool,
            remedy=f'let another key decide, or set decide = "own" for this one in {_SETTING}',
        )


def has_right(request: ApprovalRequest, caller: Caller) -> bool:
    """Return whether a caller has the right to decide about a call, and has not approved it yet."""
    if any(is_same_decider(each.by, caller.name) for each in request.approvals):
        return False
    try:
        check_right(request, caller)
    except DecisionRightError:
        return False
    return True
