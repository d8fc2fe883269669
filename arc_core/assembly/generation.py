"""Compiles a merge plan: writes the method that folds a delta of its class, as Python source.

```python
def apply_delta(self, delta1):
    state1 = self._state
    if state1 is None:
        state1 = self._begin()
    try:
        if type(delta1) is not Message_class:
            check_instance(delta1, Message_class, Message_place)
        content_1 = delta1.content
        if content_1 is not None:
            if type(content_1) is not str:
                content_1 = to_pieces(content_1, content_strategy, content_place)
            pieces1 = state1.content
            if pieces1 is None:
                state1.content = [content_1]
            else:
                pieces1.append(content_1)
    except BaseException as error:
        self._fail(error)
        raise
    self._state = state1
```

The number at the end of a variable is the level of the object it belongs to: objects inside others
are folded in the same function. A class that contains itself, that stands in many places or that
lies too deep for one function gets a function of its own, which counts the depth. The states'
classes stand at the end of the source: a slot for each field, `None` at first.

Variables end with a digit and constants with a letter, and only identifiers get into the source,
so that no field's name can mean anything else.
"""

import itertools
import linecache
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakValueDictionary, finalize

from arc_core.assembly import folding
from arc_core.assembly.errors import AssemblyError, FieldPlace
from arc_core.assembly.folding import IndexedItems
from arc_core.assembly.plan import (
    ClassPlan,
    Concatenate,
    FieldPlan,
    JoinPieces,
    MergeFields,
    MergeItems,
    MergeWith,
    Replace,
)
from arc_core.assembly.source_lines import Constants, Level, indent

_MAX_LEVEL = 6  # Python refuses more than 20 loops inside each other, and readers fewer
_MAX_COPIES = 4  # of one class: many fields of many classes would multiply
_HELPERS = {
    "AssemblyError": AssemblyError,
    "IndexedItems": IndexedItems,
    "check_instance": folding.check_instance,
    "merge_value": folding.merge_value,
    "refuse_depth": folding.refuse_depth,
    "to_pieces": folding.to_pieces,
    "to_sequence": folding.to_sequence,
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MergeProgram:
    """A compiled plan, as an assembler runs it; made once per class, rules and depth."""

    plan: ClassPlan
    new_state: Callable[[], Any]
    apply_delta: Callable[[Any, Any], None]
    source: str

    @classmethod
    def of(cls, plan: ClassPlan, *, max_depth: int) -> "MergeProgram":
        """Compile a plan."""
        writer = _MergeSource(plan, max_depth=max_depth)
        source = writer.write()
        names: dict[str, Any] = dict(writer.constants.by_name)
        # Tracebacks find the lines for as long as the functions are there, whose globals keep them.
        lines = names["__lines__"] = _SourceLines.of(source, f"assembly of {plan.shape.name}")
        exec(compile(source, lines.filename, "exec"), names)  # noqa: S102 -- of safe names only
        return cls(
            plan=plan,
            new_state=names[writer.state_name(plan)],
            apply_delta=names["apply_delta"],
            source=source,
        )


class _SourceLines:
    """The lines of a source, which tracebacks and debuggers show for as long as this exists."""

    _known: ClassVar["WeakValueDictionary[str, _SourceLines]"] = WeakValueDictionary()
    _numbers = itertools.count()

    def __init__(self, source: str, title: str) -> None:
        self.filename = f"<{title} {next(self._numbers)}>"
        lines = source.splitlines(keepends=True)
        linecache.cache[self.filename] = (len(source), None, lines, self.filename)
        finalize(self, linecache.cache.pop, self.filename, None).atexit = False

    @classmethod
    def of(cls, source: str, title: str) -> "_SourceLines":
        """The lines of an equal source if there are some, so that they are kept once."""
        found = cls._known.get(source)
        if found is None:
            found = cls._known[source] = cls(source, title)
        return found


class _MergeSource:
    """The source of `apply_delta` for a plan, with the functions and classes of states it needs."""

    def __init__(self, plan: ClassPlan, *, max_depth: int) -> None:
        self.constants = Constants(_HELPERS)
        self._plan = plan
        self._max_depth = max_depth
        self._copies: Counter[ClassPlan] = Counter()
        self._functions: dict[ClassPlan, str] = {}
        self._states: dict[ClassPlan, str] = {}
        self._unwritten: list[ClassPlan] = []

    def write(self) -> str:
        """The source: the method first, then the functions it calls, then the states' classes."""
        lines = self._method()
        while self._unwritten:
            lines += ["", "", *self._function(self._unwritten.pop(0))]
        self.state_name(self._plan)
        for plan, name in self._states.items():
            lines += ["", "", *_state_class(plan, name)]
        return "\n".join([*lines, ""])

    def _method(self) -> list[str]:
        level = self._argument(self._plan, counts_depth=False)
        return [
            "def apply_delta(self, delta1):",
            "    state1 = self._state",
            "    if state1 is None:",
            "        state1 = self._begin()",
            "    try:",
            *indent(indent(self._merge_object(level))),
            "    except BaseException as error:",
            "        self._fail(error)",
            "        raise",
            "    self._state = state1",
        ]

    def _function(self, plan: ClassPlan) -> list[str]:
        level = self._argument(plan, counts_depth=True)
        return [
            f"def {self._functions[plan]}(state1, delta1, depth):",
            *indent([*level.check(), *level.read(plan.fields), *self._fold(level)]),
        ]

    def _argument(self, plan: ClassPlan, *, counts_depth: bool) -> Level:
        return Level(
            plan=plan,
            number=1,
            place=FieldPlace(plan.shape.name),
            counts_depth=counts_depth,
            constants=self.constants,
        )

    def _function_name(self, plan: ClassPlan) -> str:
        if plan not in self._functions:
            self._functions[plan] = self.constants.name(plan, plan.shape.name, "merge")
            self._unwritten.append(plan)
        return self._functions[plan]

    def _fold(self, level: Level) -> list[str]:
        """Lines that fold what was read; first what can fail, so that less is left half done."""
        lines = []
        for field in sorted(level.plan.fields, key=_order_of_folding):
            body = indent(self._fold_field(level, field))
            lines += [f"if {level.local(field)} is not None:", *body]
        return lines or ["pass"]

    def _fold_field(self, level: Level, field: FieldPlan) -> list[str]:
        match field.strategy:
            case Replace():
                return [f"{level.accumulated_name(field)} = {level.local(field)}"]
            case MergeWith():
                return level.merge_with(field, field.strategy)
            case JoinPieces() | Concatenate():
                return level.append(field, field.strategy)
            case MergeFields(plan):
                return self._merge_fields(level, field, plan)
            case MergeItems():
                return self._merge_items(level, field, field.strategy)

    def _merge_fields(self, level: Level, field: FieldPlan, plan: ClassPlan) -> list[str]:
        inner = level.inside(field, plan)
        state = f"state{inner.number}"
        return [
            *self._check_depth(inner),
            f"delta{inner.number} = {level.local(field)}",
            f"{state} = {level.accumulated_name(field)}",
            f"if {state} is None:",
            f"    {state} = {self.state_name(plan)}()",
            *self._merge_object(inner),
            f"{level.accumulated_name(field)} = {state}",
        ]

    def _merge_items(self, level: Level, field: FieldPlan, strategy: MergeItems) -> list[str]:
        inner = level.inside(field, strategy.plan)
        items, find = f"items{inner.number}", inner.find_item(strategy)
        names = dict.fromkeys([strategy.by, strategy.identity])
        keys = [inner.field(name) for name in names if name]
        return [
            *level.check_sequence(field, strategy.container),
            f"{items} = {level.accumulated_name(field)}",
            f"if {items} is None:",
            f"    {items} = IndexedItems({self.state_name(strategy.plan)}, {strategy.missing!r})",
            f"for delta{inner.number} in {level.local(field)}:",
            *indent(self._check_depth(inner)),
            *indent(self._merge_object(inner, find=find, keys=keys)),
            f"{level.accumulated_name(field)} = {items}",
        ]

    def _merge_object(
        self, level: Level, *, find: Sequence[str] = (), keys: Sequence[FieldPlan] = ()
    ) -> list[str]:
        """Lines that fold one object; `find` finds the state of an item by its `keys`."""
        if self._is_inlined(level):
            return [*level.check(), *level.read(level.plan.fields), *find, *self._fold(level)]
        call = self._call(level)
        return [*level.check(), *level.read(keys), *find, *call] if find else call

    def _is_inlined(self, level: Level) -> bool:
        self._copies[level.plan] += 1
        fits = level.number <= _MAX_LEVEL and self._copies[level.plan] <= _MAX_COPIES
        return fits and not level.plan.is_recursive()

    def _call(self, level: Level) -> list[str]:
        """Lines that fold one object by a function of its own."""
        number, name = level.number, self._function_name(level.plan)
        depth = f"depth + {number - 1}" if level.counts_depth else str(number)
        call = f"{name}(state{number}, delta{number}, {depth})"
        if level.place.path is None:
            return [call]
        return [
            "try:",
            f"    {call}",
            "except AssemblyError as error:",
            f"    error.below({level.place.path!r})",
            "    raise",
        ]

    def _check_depth(self, level: Level) -> list[str]:
        """Lines that refuse an object which lies too deep; none if it cannot."""
        refuse = f"refuse_depth({level.place_name()}, {self._max_depth})"
        if level.counts_depth:
            return [f"if depth > {self._max_depth - level.number + 1}:", f"    {refuse}"]
        return [refuse] if level.number > self._max_depth else []

    def state_name(self, plan: ClassPlan) -> str:
        """The name of the class of a plan's states; `ClassPlan.build` takes its instances."""
        if plan not in self._states:
            self._states[plan] = self.constants.name(plan, plan.shape.name, "state")
        return self._states[plan]


def _state_class(plan: ClassPlan, name: str) -> list[str]:
    slots = tuple(field.slot for field in plan.fields)
    return [
        f"class {name}:",
        f"    __slots__ = {slots!r}",
        "    def __init__(self):",
        "        " + " = ".join([*(f"self.{slot}" for slot in slots), "_"]) + " = None",
    ]


def _order_of_folding(field: FieldPlan) -> int:
    match field.strategy:
        case MergeFields() | MergeItems() | MergeWith():
            return 0
        case JoinPieces() | Concatenate():
            return 1
        case Replace():
            return 2
