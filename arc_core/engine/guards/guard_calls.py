"""The call of a guard, and the check of its answer; the same for all kinds of guards."""

from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.boundary.policies import Policy
from arc_core.interfaces.guards.guard import GuardResult, Rejected


class _Request(Protocol):
    @property
    def text(self) -> str: ...


RequestT = TypeVar("RequestT", bound=_Request, contravariant=True)


class _Guard(Protocol[RequestT]):
    async def check(self, request: RequestT) -> GuardResult: ...


async def ask_guard(
    guard: _Guard[RequestT], request: RequestT, *, policy: Policy, boundary: Boundary
) -> str | Rejected | Failed:
    """The text as a guard leaves it, its rejection, or its failure."""
    result = await boundary.call(policy, guard, partial(guard.check, request))
    if isinstance(result, Failed):
        return result
    if isinstance(result, Rejected):
        reason: object = result.reason
        return result if isinstance(reason, str) else replace(result, reason="")
    text: object = result.text
    if text is None:
        return request.text
    if isinstance(text, str):
        return text
    problem = f"Allowed.text is of the type {type(text).__name__}"
    return boundary.report(policy, guard, TypeError(problem))
