"""What is special about pydantic models."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, RootModel, field_validator

from arc_core.assembly import AssemblyError, ReflectiveAssembler, StreamAppend, StreamIndex


def assembled(cls: Any, *deltas: Any) -> Any:
    """What deltas of a class become."""
    assembler = ReflectiveAssembler.of(cls)
    for delta in deltas:
        assembler.apply_delta(delta)
    return assembler.build()


class Frozen(BaseModel):
    """A model that cannot be changed."""

    model_config = ConfigDict(frozen=True)

    text: Annotated[str | None, StreamAppend()] = None


def test_frozen_models_are_built() -> None:
    """The result is an instance, frozen like any other."""
    built = assembled(Frozen, Frozen(text="a"), Frozen(text="b"))

    assert built == Frozen(text="ab")
    assert hash(built) == hash(Frozen(text="ab"))


class Defaults(BaseModel):
    """A model with defaults that are not `None`."""

    role: str = "assistant"
    text: Annotated[str, StreamAppend()] = ""
    tags: list[str] = Field(default_factory=lambda: ["new"])


def test_a_field_that_was_not_set_changes_nothing() -> None:
    """A default that a delta did not choose does not replace a value that another did."""
    deltas = Defaults(role="user", text="a", tags=["old"]), Defaults(text="b"), Defaults()

    assert assembled(Defaults, *deltas) == Defaults(role="user", text="ab", tags=["old"])


def test_a_default_that_was_set_is_a_value() -> None:
    """A delta that says `assistant` means it."""
    built = assembled(Defaults, Defaults(role="user"), Defaults(role="assistant"))

    assert built.role == "assistant"


def test_fields_that_never_came_are_not_set() -> None:
    """The result has the class's defaults, and says that they are defaults."""
    built = assembled(Defaults, Defaults(text="a"))

    assert built.tags == ["new"]
    assert built.model_fields_set == {"text"}


def test_defaults_are_not_shared() -> None:
    """Each result has a default list of its own."""
    assembler = ReflectiveAssembler.of(Defaults)
    assembler.build().tags.append("x")

    assert assembler.build().tags == ["new"]


class Aliased(BaseModel):
    """Fields whose names in JSON are others, even each other's."""

    one: Annotated[str | None, StreamAppend()] = Field(default=None, alias="two")
    two: str | None = Field(default=None, alias="one")
    three: str | None = Field(default=None, validation_alias="THREE")


def test_aliases_are_for_json_only() -> None:
    """Values keep to their fields, whatever these are called outside."""
    delta = Aliased.model_validate({"two": "a", "one": "b", "THREE": "c"})

    built = assembled(Aliased, delta, delta)

    assert (built.one, built.two, built.three) == ("aa", "b", "c")


class Checked(BaseModel):
    """Constraints that a whole value need not meet."""

    text: Annotated[str | None, StreamAppend(), Field(max_length=2)] = None

    @field_validator("text")
    @classmethod
    def stripped(cls, text: str | None) -> str | None:
        """Take white space off the ends."""
        return text and text.strip()


def test_what_was_validated_is_not_validated_again() -> None:
    """Constraints and validators are for what arrives, and have been applied."""
    assert assembled(Checked, Checked(text="ab"), Checked(text=" c")).text == "abc"


class WithPrivate(BaseModel):
    """A model with private state."""

    text: Annotated[str | None, StreamAppend()] = None
    _seen: list[str] = PrivateAttr(default_factory=list)


def test_private_state_is_made_anew() -> None:
    """Private attributes are there, as after construction."""
    assert assembled(WithPrivate, WithPrivate(text="a"))._seen == []


def test_fields_left_out_by_model_construct_are_not_there() -> None:
    """A model without some of its attributes is read as one that does not have the fields."""
    deltas = Defaults.model_construct(text="a"), Defaults.model_construct(role="user")
    for delta in deltas:
        delta.__dict__.pop("tags", None)

    assert assembled(Defaults, *deltas) == Defaults(role="user", text="a")


class Required(BaseModel):
    """A field that every instance has, unless it was made without validation."""

    id: str
    text: Annotated[str | None, StreamAppend()] = None


def test_a_required_field_that_never_came_is_none() -> None:
    """Vendors leave out what their SDK requires: the result can be read all the same."""
    built = assembled(Required, Required.model_construct(text="a"))

    assert (built.id, built.text) == (None, "a")


class Texts(RootModel[list[str]]):
    """A model that is a list."""

    root: Annotated[list[str], StreamAppend()]


def test_root_models_are_assembled() -> None:
    """The one field of a root model may be marked."""
    assert assembled(Texts, Texts(["a"]), Texts(["b"])) == Texts(["a", "b"])


class Parent(BaseModel):
    """A base class."""

    index: Annotated[int, StreamIndex()]
    text: Annotated[str | None, StreamAppend()] = None


class Child(Parent):
    """An heir."""

    more: Annotated[str | None, StreamAppend()] = None


def test_an_heirs_instance_is_a_delta_of_its_base() -> None:
    """Instances of subclasses are taken, for the fields that the class has."""
    assert assembled(Parent, Child(index=0, text="a", more="x")) == Parent(index=0, text="a")


class Overriding(BaseModel):
    """A vendor's model, which constructs in its own way."""

    text: Annotated[str | None, StreamAppend()] = None

    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Any:
        """Refuse."""
        raise AssertionError("walks through everything once more")


def test_construction_does_not_depend_on_overrides() -> None:
    """A result is built by pydantic itself."""
    assert assembled(Overriding, Overriding(text="a")).text == "a"


def test_an_unfinished_model_is_an_error() -> None:
    """A model with a forward reference to nothing says so, with what to do."""

    class Unfinished(BaseModel):
        other: "Nowhere | None" = None  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(AssemblyError, match=r"Unfinished: .*model_rebuild\(\)"):
        ReflectiveAssembler.of(Unfinished)


def test_a_model_is_finished_with_the_names_passed() -> None:
    """`namespace` is for models, too."""

    class Inner(BaseModel):
        text: Annotated[str | None, StreamAppend()] = None

    def make() -> Any:
        class Outer(BaseModel):
            inner: Annotated["Nested | None", StreamAppend()] = None  # type: ignore[name-defined]  # noqa: F821

        return Outer

    outer = make()
    assembler = ReflectiveAssembler.of(outer, namespace={"Nested": Inner})
    assembler.apply_delta(outer(inner=Inner(text="a")))
    assembler.apply_delta(outer(inner=Inner(text="b")))

    assert assembler.build() == outer(inner=Inner(text="ab"))
