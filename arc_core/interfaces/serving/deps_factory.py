"""The deps of runs that callers ask for over a network, since no program calls `execute` then.

A service: `@provides(DepsFactory)` offers one. The server asks it before each run that a caller
begins or submits, once the key was checked. Fails closed: if it raises or takes longer than
`concurrency.component_timeout_s`, no run begins. A `NotPermittedError` refuses the caller.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.runs.callers import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class DepsRequest:
    """A run that is asked for over a network.

    Attributes:
        caller: Who asks, as the key or the program's own `authenticate` tells.
        command: What is asked, with the tenant and the user that the key allows.
    """

    caller: Caller
    command: AgentCommand


@runtime_checkable
class DepsFactory(Protocol):
    """Makes the deps of served runs, as a caller of `execute(…, deps=…)` does.

    `@run_deps` or `Application(deps=…)` declares their class.
    """

    @abstractmethod
    async def make_deps(self, request: DepsRequest) -> object | None:
        """Make the deps of one run; None hands over nothing.

        For a request that is made again it gives an equal value, so that the run is the same. Of
        durable runs, the value has a JSON form.
        """
