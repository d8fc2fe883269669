"""The class of a plan's accumulated values: a slot for each field, `None` at first."""

from typing import Any

from arc_core.assembly.generation.source_text import execute
from arc_core.assembly.plan import ClassPlan

__all__ = ["state_type"]


def state_type(plan: ClassPlan) -> type[Any]:
    """Make the class; its instances are what `ClassPlan.build` takes."""
    slots = tuple(field.slot for field in plan.fields)
    source = "\n".join(
        [
            "class State:",
            f"    __slots__ = {slots!r}",
            "    def __init__(self):",
            "        " + " = ".join([*(f"self.{slot}" for slot in slots), "_"]) + " = None",
        ]
    )
    names: dict[str, Any] = {}
    execute(f"{source}\n", f"state of {plan.shape.name}", names)
    made: type[Any] = names["State"]
    return made
