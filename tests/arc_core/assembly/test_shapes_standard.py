"""What is special about dataclasses, named tuples and typed dictionaries."""

from collections import namedtuple
from dataclasses import FrozenInstanceError, InitVar, dataclass, field
from typing import Annotated, Any, NamedTuple, Required, TypedDict

import pytest
from pydantic.dataclasses import dataclass as pydantic_dataclass

from arc_core.assembly import AssemblyError, ReflectiveAssembler, StreamAppend, StreamMerge


def assembled(cls: Any, *deltas: Any) -> Any:
    """What deltas of a class become."""
    assembler = ReflectiveAssembler.of(cls)
    for delta in deltas:
        assembler.apply_delta(delta)
    return assembler.build()


@dataclass(frozen=True, slots=True)
class Slotted:
    """Frozen, with slots."""

    text: Annotated[str | None, StreamAppend()] = None


@dataclass(frozen=True, slots=True)
class SlottedHeir(Slotted):
    """Inherits its marker."""

    more: Annotated[str | None, StreamAppend()] = None


def test_frozen_slotted_heirs_are_built() -> None:
    """The result is an instance, frozen like any other."""
    delta = SlottedHeir("a", "b")

    built = assembled(SlottedHeir, delta, delta)

    assert built == SlottedHeir("aa", "bb")
    with pytest.raises(FrozenInstanceError):
        built.text = "c"


@dataclass(kw_only=True)
class Computed:
    """A class that computes a field and demands a value it does not keep."""

    text: Annotated[str, StreamAppend()]
    scale: InitVar[int] = 1
    length: int = field(init=False)

    def __post_init__(self, scale: int) -> None:
        self.length = len(self.text) * scale


def test_computed_fields_are_computed_of_the_whole() -> None:
    """The constructor sees the assembled values."""
    assert assembled(Computed, Computed(text="a"), Computed(text="bc")).length == 3


def test_a_demanded_value_that_is_not_kept_is_an_error() -> None:
    """A class that cannot be built from what its instances have is refused."""

    @dataclass
    class Demanding:
        text: str
        scale: InitVar[int]

    with pytest.raises(AssemblyError, match=r"Demanding\.scale: .*Give the InitVar a default"):
        ReflectiveAssembler.of(Demanding)


@pydantic_dataclass(frozen=True)
class Validated:
    """A dataclass that validates."""

    text: Annotated[str | None, StreamAppend()] = None


def test_pydantic_dataclasses_are_dataclasses() -> None:
    """They are built by their constructor."""
    assert assembled(Validated, Validated("a"), Validated("b")) == Validated("ab")


@dataclass
class Private:
    """Names that mean something in Python."""

    _text: Annotated[str | None, StreamAppend()] = None
    __text: Annotated[str | None, StreamAppend()] = None


def test_private_names_are_fields() -> None:
    """Underscores make no difference, though Python mangles some."""
    assert assembled(Private, Private("a", "b"), Private("c", "d")) == Private("ac", "bd")


class Point(NamedTuple):
    """A typed tuple."""

    x: int
    text: Annotated[str | None, StreamAppend()] = None


def test_named_tuples_are_built() -> None:
    """The result is a tuple of the class."""
    built = assembled(Point, Point(1, "a"), Point(2, "b"))

    assert built == Point(2, "ab")
    assert isinstance(built, Point)


def test_untyped_tuples_take_rules() -> None:
    """The fields of a `namedtuple` are of any type, and may be marked from outside."""
    pair = namedtuple("pair", ["left", "right"])
    assembler = ReflectiveAssembler.of(pair, rules={"right": StreamAppend()})
    for delta in (pair(1, "a"), pair(None, "b")):
        assembler.apply_delta(delta)

    assert assembler.build() == pair(1, "ab")


class Keys(TypedDict, total=False):
    """A dictionary with a required key and a key that is not an identifier."""

    id: Required[str]
    text: Annotated[str, StreamAppend()]


Odd = TypedDict("Odd", {"my-text": Annotated[str, StreamAppend()], "class": int, "id'": str})


def test_absent_keys_change_nothing() -> None:
    """A dictionary need not have all keys, and the result has those that came."""
    assert assembled(Keys, {"id": "1", "text": "a"}, {"text": "b"}) == {"id": "1", "text": "ab"}


def test_the_deltas_own_dictionary_is_not_the_result() -> None:
    """A result can be changed without changing a delta."""
    delta = Keys(id="1")

    assert assembled(Keys, delta) is not delta


@pytest.mark.parametrize("delta", [{"text": "a"}, {"text": "a", "id": None}])
def test_a_required_key_that_never_came_is_left_out(delta: Any) -> None:
    """There is no value for it that its type allows."""
    assert assembled(Keys, delta) == {"text": "a"}


class Nullable(TypedDict):
    """A required key that may be `None`."""

    text: Annotated[str | None, StreamAppend()]


def test_a_required_key_that_may_be_none_is_none() -> None:
    """A reader may rely on the key."""
    assert assembled(Nullable, {"text": None}) == {"text": None}


def test_keys_need_not_be_identifiers() -> None:
    """Hyphens, reserved words and quotes are keys like others."""
    deltas: list[Any] = [{"my-text": "a", "class": 1, "id'": "x"}, {"my-text": "b"}]

    assert assembled(Odd, *deltas) == {"my-text": "ab", "class": 1, "id'": "x"}


def test_undeclared_keys_are_left_out() -> None:
    """A dictionary is assembled by its class."""
    assert assembled(Keys, {"id": "1", "other": 2}) == {"id": "1"}


def test_nothing_has_no_required_key() -> None:
    """Before any delta, a dictionary with required keys cannot be built."""
    with pytest.raises(AssemblyError, match=r"Keys\.id"):
        ReflectiveAssembler.of(Keys).build()


@dataclass(frozen=True)
class Merged:
    """A rule of its own for a field without a default."""

    score: Annotated[int, StreamMerge(max)]


def test_required_fields_may_be_merged() -> None:
    """A field without a default has whatever rule it has."""
    assert assembled(Merged, Merged(3), Merged(2)) == Merged(3)
