"""The policy that lets a tool be called, or has a person asked first.

The engine asks it for each call of a tool that is on offer, before the hooks; a run that goes on in
another process does not ask again. It fails closed: without a word of the policy the tool is not
called. Tools that are marked with `needs_approval`, and those that `tools.needs_approval` names,
wait for a person whatever the policy says, unless it denies the call.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import slot
from arc_core.interfaces.hook import ToolCallContext
from arc_core.requests import Deny


@dataclass(frozen=True, slots=True)
class RunCall:
    """Call the tool."""


Run = RunCall
"""The name of the verdict in `arc_core`."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask a person first.

    Attributes:
        summary: What it is about, in words for people.
        deciders: The names of the groups, keys and people that may decide; empty takes what
            `approvals.by` says.
        people: How many different ones have to approve; `approvals.by` may ask for more.
    """

    summary: str = ""
    deciders: Sequence[str] = ()
    people: int = 1

    def __post_init__(self) -> None:
        """Take a name alone as the only one: its letters are not names."""
        named = (self.deciders,) if isinstance(self.deciders, str) else tuple(self.deciders)
        object.__setattr__(self, "deciders", named)


PolicyResult = Run | Ask | Deny
"""The verdict of a policy about a call."""


@slot("approval_policy", group="arc.approval_policies")
@runtime_checkable
class ApprovalPolicy(Protocol):
    """Says which tool calls wait for a person."""

    @abstractmethod
    async def decide(self, call: ToolCallContext) -> PolicyResult:
        """Decide on one call.

        Args:
            call: With the arguments that the model wrote, parsed and not yet validated.
        """


@runtime_checkable
class NeverAsks(Protocol):
    """A policy that lets every call run, and so need not be asked.

    Attributes:
        never_asks: Whether it does. It counts only if it is `True`, and said by the class that has
            `decide`: a subclass with a `decide` of its own is asked.
    """

    never_asks: bool
