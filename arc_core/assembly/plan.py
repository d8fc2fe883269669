"""The merge plan of a class: what is done with each of its fields.

A plan is data. The generated merge function folds deltas into a *state*, an object with a slot for
each field; `ClassPlan.build` makes an instance of a state, as often as asked and without touching
it.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from arc_core.assembly.errors import AssemblyError
from arc_core.assembly.shapes import Shape, ShapeField


@dataclass(frozen=True, slots=True)
class Replace:
    """The last value counts; it is the delta's own object."""

    def finish(self, accumulated: Any) -> object:
        """The value as it is."""
        return accumulated


@dataclass(frozen=True, slots=True)
class JoinPieces:
    """Text or bytes, accumulated as a list of pieces; `coerce` makes text of anything else."""

    kind: type[str] | type[bytes]
    coerce: Callable[[Any], str] | None = None

    def finish(self, accumulated: Any) -> object:
        """All pieces in one."""
        return self.kind().join(accumulated)


@dataclass(frozen=True, slots=True)
class Concatenate:
    """Items of lists, accumulated in one list."""

    container: type[list[Any]] | type[tuple[Any, ...]]

    def finish(self, accumulated: Any) -> object:
        """A container of its own."""
        return self.container(accumulated)


@dataclass(frozen=True, slots=True)
class MergeWith:
    """Whatever `function(accumulated, delta)` makes of it."""

    function: Callable[[Any, Any], Any]

    def finish(self, accumulated: Any) -> object:
        """A copy: `function` may go on changing the original."""
        return copy.deepcopy(accumulated)


@dataclass(frozen=True, slots=True)
class MergeFields:
    """An object, accumulated as the state of its class."""

    plan: "ClassPlan"

    def finish(self, accumulated: Any) -> object:
        """An instance of the class."""
        return self.plan.build(accumulated)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeItems:
    """A list of objects, accumulated as `IndexedItems` of states of their class."""

    plan: "ClassPlan"
    container: type[list[Any]] | type[tuple[Any, ...]]
    by: str
    identity: str | None
    missing: Literal["error", "append", "continue"]

    def finish(self, accumulated: Any) -> object:
        """An instance for each item, by index; those of one index in the order they began."""
        return self.container(self.plan.build(state) for state in accumulated.in_order())


Strategy = Replace | JoinPieces | Concatenate | MergeWith | MergeFields | MergeItems


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPlan:
    """The step of a plan for one field."""

    source: ShapeField
    slot: str
    strategy: Strategy


@dataclass(slots=True, eq=False, kw_only=True)
class ClassPlan:
    """The steps for the fields of one class; filled in after it is made, for classes recur."""

    shape: Shape
    fields: tuple[FieldPlan, ...] = ()
    index: str | None = None

    def nested_plans(self) -> "list[ClassPlan]":
        """The plans of the objects inside, one for each field that has some."""
        strategies = (field.strategy for field in self.fields)
        return [s.plan for s in strategies if isinstance(s, MergeFields | MergeItems)]

    def is_recursive(self) -> bool:
        """True if an object of the class can contain another one."""
        seen: set[ClassPlan] = set()
        unseen = self.nested_plans()
        while unseen:
            plan = unseen.pop()
            if plan not in seen:
                seen.add(plan)
                unseen += plan.nested_plans()
        return self in seen

    def build(self, state: Any) -> object:
        """An instance of everything folded into `state`.

        A required field that nothing arrived for is `None`: its deltas had nothing else.
        """
        values: dict[str, object] = {}
        for plan in self.fields:
            accumulated = getattr(state, plan.slot)
            if accumulated is not None:
                values[plan.source.keyword] = plan.strategy.finish(accumulated)
            elif plan.source.required and not plan.source.may_be_left_out:
                values[plan.source.keyword] = None
        return self._construct(values)

    def build_empty(self) -> object:
        """An instance of no delta at all."""
        missing = [plan.source.name for plan in self.fields if plan.source.required]
        if missing:
            raise AssemblyError(
                class_name=self.shape.name,
                field=missing[0],
                problem=f"no delta has arrived, and without a default: {', '.join(missing)}",
                remedy="Build after the first delta, or give every field a default.",
            )
        return self._construct({})

    def _construct(self, values: Mapping[str, object]) -> object:
        try:
            return self.shape.construct(values)
        except Exception as error:  # constructors are the user's code
            raise AssemblyError(
                class_name=self.shape.name,
                problem=f"its constructor raised {type(error).__name__}",
                remedy="It has to accept what has arrived so far; see the cause.",
            ) from error
