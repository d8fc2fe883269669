"""The deps of one run, as the component makes them that a case names."""

from arc_core.cases import Case
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.interfaces.evaluation.case_deps import CaseDeps


class CannotJudgeError(Exception):
    """A trial counts neither as passed nor as failed, since a component failed."""


async def make_deps(maker: CaseDeps, case: Case, boundary: Boundary) -> object:
    """Return the deps of one run.

    Raises:
        CannotJudgeError: They cannot be made.
    """
    made = await boundary.call(policies.CASE_DEPS, maker, lambda: maker.make_case_deps(case))
    if isinstance(made, Failed):
        raise CannotJudgeError(describe_failure(f"the deps {maker.name}", maker, made))
    return made


def describe_failure(named: str, component: object, failed: Failed) -> str:
    """Return why a component failed; what its exception says stays in the log."""
    cls = type(component).__qualname__
    if failed.timed_out:
        return f"{named} ({cls}) did not end in time"
    return f"{named} ({cls}) raised {type(failed.error).__name__}"
