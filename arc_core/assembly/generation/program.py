"""What an assembler runs: made once per class, rules and depth."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arc_core.assembly.generation.merge_source import MergeSource
from arc_core.assembly.generation.source_text import execute
from arc_core.assembly.generation.state import state_type
from arc_core.assembly.plan import ClassPlan

__all__ = ["MergeProgram"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MergeProgram:
    """A plan, compiled.

    Attributes:
        plan: The plan.
        new_state: Makes an empty state.
        apply_delta: A method; it needs `_state`, `_begin` and `_fail` of its object.
        source: The text of `apply_delta`, for people.
    """

    plan: ClassPlan
    new_state: Callable[[], Any]
    apply_delta: Callable[[Any, Any], None]
    source: str

    @classmethod
    def of(cls, plan: ClassPlan, *, max_depth: int) -> "MergeProgram":
        """Compile a plan.

        Args:
            plan: The plan of the class that is assembled.
            max_depth: How deep objects may lie inside each other; 1 is the object itself.
        """
        writer = MergeSource(plan, max_depth=max_depth)
        source = writer.write()
        names: dict[str, Any] = dict(writer.constants.by_name)
        execute(source, f"assembly of {plan.shape.name}", names)
        return cls(
            plan=plan,
            new_state=writer.state_types.get(plan) or state_type(plan),
            apply_delta=names["apply_delta"],
            source=source,
        )
