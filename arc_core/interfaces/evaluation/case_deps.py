"""The deps of trials in evaluations, which cases ask for by a name.

`arc eval` and `evaluate` ask for them before each trial, so that no trial finds what another one
left behind. Fails closed: if it raises or takes longer than `concurrency.component_timeout_s`, the
evaluation of the case cannot tell.
"""

from abc import abstractmethod
from typing import Protocol, runtime_checkable

from arc_core.cases import Case
from arc_core.components.extension_points import contribution, on_demand


@on_demand
@contribution("case_deps", group="arc.deps", is_named_by_members=True)
@runtime_checkable
class CaseDeps(Protocol):
    """Makes the deps of trials, as a caller of `execute(…, deps=…)` does.

    Attributes:
        name: By which cases ask for it.
    """

    name: str

    @abstractmethod
    async def make_case_deps(self, case: Case) -> object:
        """Make the deps of one trial, each time anew."""
