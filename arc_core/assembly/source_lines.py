"""Lines of Python source that read one object and fold those of its fields that hold no others."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arc_core.assembly.errors import FieldPlace
from arc_core.assembly.plan import (
    ClassPlan,
    Concatenate,
    FieldPlan,
    JoinPieces,
    MergeItems,
    MergeWith,
)
from arc_core.assembly.shapes import FieldReading


def indent(lines: Iterable[str]) -> list[str]:
    """The lines of a block, one level further in."""
    return [f"    {line}" for line in lines]


class Constants:
    """The names that a piece of source refers to."""

    def __init__(self, known: Mapping[str, object]) -> None:
        self.by_name: dict[str, object] = dict(known)
        self._names: dict[tuple[str, int], str] = {}

    def name(self, value: object, hint: str, kind: str) -> str:
        """A name for `value`, the same one for the same object."""
        key = (kind, id(value))  # the value is kept alive by `by_name`
        if key not in self._names:
            readable = re.sub(r"\W", "", hint, flags=re.ASCII).lstrip("0123456789")[:40]
            name = f"{readable}_{kind}"
            if name in self.by_name:
                name = f"{readable}_{len(self._names)}_{kind}"
            self._names[key] = name
            self.by_name[name] = value
        return self._names[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One object in a generated function: read from `delta<number>`, folded into `state<number>`.

    If the function `counts_depth`, it has a variable `depth`, that of its argument.
    """

    plan: ClassPlan
    number: int
    place: FieldPlace
    counts_depth: bool
    constants: Constants

    def inside(self, field: FieldPlan, plan: ClassPlan) -> "Level":
        """An object of the class of `plan` in a field of this one."""
        return Level(
            plan=plan,
            number=self.number + 1,
            place=self._find_place(field),
            counts_depth=self.counts_depth,
            constants=self.constants,
        )

    def local(self, field: FieldPlan) -> str:
        """The variable that holds a field's value."""
        return f"{field.slot}_{self.number}"

    def accumulated_name(self, field: FieldPlan) -> str:
        """The attribute of the state that holds what has been folded of a field."""
        return f"state{self.number}.{field.slot}"

    def field(self, name: str) -> FieldPlan:
        """The field of this name."""
        return next(field for field in self.plan.fields if field.source.name == name)

    def place_name(self, field: FieldPlan | None = None) -> str:
        """The constant for the place of the object, or of one of its fields."""
        place = self.place if field is None else self._find_place(field)
        return self.constants.name(place, place.field or place.class_name, "place")

    def _find_place(self, field: FieldPlan) -> FieldPlace:
        return self.place.at(self.plan.shape.name, field.source.name)

    def check(self) -> list[str]:
        """Lines that refuse an instance of another class."""
        expected = self.plan.shape.instance_type
        name = self.constants.name(expected, expected.__name__, "class")
        return [
            f"if type(delta{self.number}) is not {name}:",
            f"    check_instance(delta{self.number}, {name}, {self.place_name()})",
        ]

    def read(self, fields: Sequence[FieldPlan]) -> list[str]:
        """Lines that put the fields' values into variables, `None` for what is not given."""
        if self.plan.shape.reading is FieldReading.MODEL:
            declared = [field for field in fields if not field.source.undeclared]
            undeclared = [field for field in fields if field.source.undeclared]
            lines = [*self._read_model(declared), *self._read_extras(undeclared)]
        else:
            lines = [f"{self.local(field)} = {self._value(field)}" for field in fields]
        return [*lines, *self._drop_unset(fields)]

    def _value(self, field: FieldPlan) -> str:
        delta, name = f"delta{self.number}", field.source.name
        if self.plan.shape.reading is FieldReading.KEY:
            return f"{delta}.get({name!r})"
        return f"{delta}.{name}" if field.slot == name else f"getattr({delta}, {name!r})"

    def _read_model(self, fields: Sequence[FieldPlan]) -> list[str]:
        if not fields:
            return []
        values = f"values{self.number}"
        names = ", ".join(repr(field.source.name) for field in fields)
        return [
            f"{values} = delta{self.number}.__dict__",
            "try:",
            *indent(f"{self.local(f)} = {values}[{f.source.name!r}]" for f in fields),
            "except KeyError:  # model_construct() has left some out",
            f"    [{', '.join(map(self.local, fields))}] = map({values}.get, [{names}])",
        ]

    def _read_extras(self, fields: Sequence[FieldPlan]) -> list[str]:
        if not fields:
            return []
        extras = f"extras{self.number}"
        return [
            f"{extras} = delta{self.number}.__pydantic_extra__",
            f"if {extras}:",
            *indent(f"{self.local(f)} = {extras}.get({f.source.name!r})" for f in fields),
            "else:",
            f"    {' = '.join(map(self.local, fields))} = None",
        ]

    def _drop_unset(self, fields: Iterable[FieldPlan]) -> list[str]:
        lines = []
        for field in fields:
            if field.source.tells_unset:
                names = f"delta{self.number}.__pydantic_fields_set__"
                condition = f"{field.source.name!r} not in {names}"
            elif field.source.unset is not None:
                unset = self.constants.name(field.source.unset, "UNSET", "constant")
                condition = f"{self.local(field)} is {unset}"
            else:
                continue
            lines += [f"if {condition}:", f"    {self.local(field)} = None"]
        return lines

    def append(self, field: FieldPlan, strategy: JoinPieces | Concatenate) -> list[str]:
        """Lines that put a value, or its items, at the end of what has been accumulated."""
        value, pieces = self.local(field), f"pieces{self.number}"
        if isinstance(strategy, JoinPieces):
            check = self._check_pieces(field, strategy)
            first, grow = f"[{value}]", "append"
        else:
            check = self.check_sequence(field, strategy.container)
            first, grow = f"[*{value}]", "extend"
        return [
            *check,
            f"{pieces} = {self.accumulated_name(field)}",
            f"if {pieces} is None:",
            f"    {self.accumulated_name(field)} = {first}",
            "else:",
            f"    {pieces}.{grow}({value})",
        ]

    def _check_pieces(self, field: FieldPlan, strategy: JoinPieces) -> list[str]:
        value, joining = self.local(field), self.constants.name(strategy, field.slot, "strategy")
        return [
            f"if type({value}) is not {strategy.kind.__name__}:",
            f"    {value} = to_pieces({value}, {joining}, {self.place_name(field)})",
        ]

    def check_sequence(self, field: FieldPlan, container: type) -> list[str]:
        """Lines that accept nothing but a list or tuple."""
        value = self.local(field)
        return [
            f"if type({value}) is not {container.__name__}:",
            f"    {value} = to_sequence({value}, {self.place_name(field)})",
        ]

    def merge_with(self, field: FieldPlan, strategy: MergeWith) -> list[str]:
        """Lines that call the user's function."""
        known, value = self.accumulated_name(field), self.local(field)
        merging = self.constants.name(strategy, field.slot, "strategy")
        return [f"{known} = merge_value({known}, {value}, {merging}, {self.place_name(field)})"]

    def find_item(self, strategy: MergeItems) -> list[str]:
        """Lines that find the state of an item, whose index and identity have been read."""
        state, items, by = f"state{self.number}", f"items{self.number}", self.field(strategy.by)
        index, identity = self.local(by), "None"
        lines = [f"{state} = {items}.by_index[{index}]"]
        if strategy.identity is not None:
            identity = self.local(self.field(strategy.identity))
            lines = [
                f'if {identity} is None or {identity} == "":',
                *indent(lines),
                "else:",
                f"    {state} = {items}.by_identity[{identity}]",
            ]
        return [
            "try:",
            *indent(lines),
            "except (KeyError, TypeError):",
            f"    {state} = {items}.find({index}, {identity}, {self.place_name(by)})",
        ]
