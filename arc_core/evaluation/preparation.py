"""The parts of an application that cases name, found before the first trial, and their deps."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from arc_core.cases import Case
from arc_core.command import DEFAULT_AGENT
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.errors import ConfigurationError
from arc_core.interfaces.evaluation.case_deps import CaseDeps
from arc_core.interfaces.evaluation.scorer import Scorer
from arc_core.text.names import nearest
from arc_core.tools.json_schema_validation.patterns import flaw_of_pattern

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EvaluationParts:
    """Components that cases name, by their names."""

    scorers: Mapping[str, Scorer]
    deps: Mapping[str, CaseDeps]


async def find_parts(app: Any, cases: Sequence[Case]) -> EvaluationParts:
    """Return the components that cases name; none is built that no case names.

    Raises:
        ConfigurationError: An agent, a scorer or deps do not exist, two have one name, or a regular
            expression has a flaw.
    """
    agents = {DEFAULT_AGENT, *(each.name for each in app.agents())}
    needs_scorers = any(case.expect.scorers for case in cases)
    needs_deps = any(case.deps is not None for case in cases)
    scorers = index_by_name(await app.components(Scorer), "scorer") if needs_scorers else {}
    deps = index_by_name(await app.components(CaseDeps), "deps") if needs_deps else {}
    for case in cases:
        _check_name(case, "agent", case.agent, known=agents, remedy="arc agents lists them")
        _check_name(case, "deps", case.deps, known=deps, remedy="bring them by the group arc.deps")
        for each in case.expect.scorers:
            _check_name(
                case, "scorer", each.name, known=scorers, remedy="bring it by the group arc.scorers"
            )
        for pattern in case.expect.matches:
            _check_pattern(case, pattern)
    return EvaluationParts(scorers, deps)


def index_by_name(components: Iterable[T], kind: str) -> dict[str, T]:
    """Return components by their names.

    Raises:
        ConfigurationError: Two have one name.
    """
    found: dict[str, T] = {}
    for each in components:
        name = str(getattr(each, "name", ""))
        if name in found:
            classes = sorted(type(twin).__qualname__ for twin in (found[name], each))
            raise ConfigurationError(
                f"two components are the {kind} {name!r}",
                evidence=classes,
                remedy="give one of them another name, or leave its plugin out",
            )
        found[name] = each
    return found


def _check_name(
    case: Case, kind: str, name: str | None, *, known: Iterable[str], remedy: str
) -> None:
    names = sorted(known)
    if name is None or name in names:
        return
    close = nearest(name, names)
    raise ConfigurationError(
        f"the case {case.name!r} names the {kind} {name!r}, which does not exist",
        evidence=[f"known names: {', '.join(names) or 'none'}"],
        remedy=f"write {close!r}" if close else f"use a known name; {remedy}",
    )


def _check_pattern(case: Case, pattern: str) -> None:
    if flaw := flaw_of_pattern(pattern):
        raise ConfigurationError(
            f"the case {case.name!r} cannot match {pattern!r}",
            evidence=[flaw],
            remedy="write it as RE2 has it, without look-around and back-references",
        )


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
