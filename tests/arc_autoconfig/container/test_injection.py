"""What constructors ask for, read from their annotations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Optional

import pytest

from arc_autoconfig.container.injection import (
    Components,
    Given,
    Group,
    Need,
    OneComponent,
    SectionOf,
    read_needs,
)
from arc_autoconfig.errors import InjectionError
from arc_autoconfig.settings import ArcSettings
from arc_core import ChatModel, Guard, Hook, ResponseCache, Tool
from arc_core.components.extension_points import Contribution, Slot, get_place
from arc_core.engine.turns.collaborators import AgentComponents
from arc_core.log import Logger
from arc_core.settings import AgentSettings, LlmSettings


def _slot(interface: type) -> Slot:
    place = get_place(interface)
    assert isinstance(place, Slot)
    return place


def _contribution(interface: type) -> Contribution:
    place = get_place(interface)
    assert isinstance(place, Contribution)
    return place


def _asks(annotation: Any) -> Callable[..., object]:
    def make(value):  # type: ignore[no-untyped-def]
        return value

    make.__annotations__ = {"value": annotation}
    return make


@pytest.mark.parametrize(
    ("annotation", "what"),
    [
        (ChatModel, OneComponent(_slot(ChatModel), is_optional=False)),
        (ResponseCache | None, OneComponent(_slot(ResponseCache), is_optional=True)),
        (Optional[ResponseCache], OneComponent(_slot(ResponseCache), is_optional=True)),  # noqa: UP045
        (Annotated[ChatModel, "main"], OneComponent(_slot(ChatModel), is_optional=False)),
        ("ChatModel", OneComponent(_slot(ChatModel), is_optional=False)),
        (list[Guard], Components(_contribution(Guard), list, (Guard,))),
        (tuple[Hook, ...], Components(_contribution(Hook), tuple, (Hook,))),
        (Sequence[Tool], Components(_contribution(Tool), tuple, (Tool,))),
        (LlmSettings, SectionOf(LlmSettings)),
        (AgentSettings, SectionOf(AgentSettings)),
        (ArcSettings, SectionOf(ArcSettings)),
        (Logger, Given.LOGGER),
    ],
)
def test_an_annotation_says_what_is_wanted(annotation: Any, what: object) -> None:
    """Interfaces, collections of contributions, sections of the settings, and the logger."""
    assert read_needs(_asks(annotation), owner="x") == (Need("value", what, False),)  # type: ignore[arg-type]


class WithDefaults:
    def __init__(
        self,
        path: str = "audit.log",
        *args: object,
        cache: ResponseCache | None = None,
        size: int = 1,
        **options: object,
    ) -> None: ...


@dataclass
class Pair:
    """Injectable as a whole."""

    model: ChatModel
    hooks: list[Hook]


class WithoutConstructor: ...


def test_defaults_stay_where_arc_has_nothing() -> None:
    """Only what Arc has is filled in; `*args` and `**options` are left alone."""
    (need,) = read_needs(WithDefaults, owner="x")

    assert need.parameter == "cache"
    assert need.has_default
    assert read_needs(WithoutConstructor, owner="x") == ()


def test_a_dataclass_of_needs_is_filled_as_a_whole() -> None:
    """The engine's components are one."""
    (need,) = read_needs(_asks(Pair), owner="x")
    (components,) = read_needs(_asks(AgentComponents), owner="x")

    assert isinstance(need.what, Group)
    assert [each.parameter for each in need.what.needs] == ["model", "hooks"]
    assert isinstance(components.what, Group)
    assert components.what.cls is AgentComponents


def test_callable_objects_are_asked_too() -> None:
    """What makes a component may be an object with `__call__`."""

    class Maker:
        def __call__(self, model: ChatModel) -> object:
            return model

    (need,) = read_needs(Maker(), owner="x")

    assert need.parameter == "model"


@pytest.mark.parametrize(
    "annotation", [str, Guard, list[ChatModel], list[int], ChatModel | Guard, Any, None], ids=str
)
def test_a_parameter_that_cannot_be_filled_is_named(annotation: Any) -> None:
    """The error shows component and parameter, and what could be done."""
    with pytest.raises(InjectionError, match="has a parameter that cannot be filled") as raised:
        read_needs(_asks(annotation), owner="acme")

    assert "give it a default" in raised.value.remedy


def test_a_positional_only_parameter_is_refused_with_its_reason() -> None:
    """Its annotation is right; what is wrong is that it has no name to be given by."""

    def make(model: ChatModel, /) -> object:
        return model

    with pytest.raises(InjectionError, match="is positional-only: model: ") as raised:
        read_needs(make, owner="acme")

    assert "remove the `/`" in raised.value.remedy


def test_a_positional_only_parameter_with_a_default_is_not_left_empty_in_silence() -> None:
    """Arc has what it asks for, and cannot give it."""

    def make(model: ChatModel | None = None, /) -> object:
        return model

    with pytest.raises(InjectionError, match="is positional-only: model: "):
        read_needs(make, owner="acme")


def test_a_positional_only_parameter_that_asks_for_nothing_keeps_its_default() -> None:
    """It is none of Arc's business."""

    def make(size: int = 3, /) -> object:
        return size

    assert read_needs(make, owner="acme") == ()


def test_an_annotation_that_cannot_be_read_is_named() -> None:
    """The usual reason is an import that only type checkers see."""
    with pytest.raises(InjectionError, match="annotations of x cannot be read") as raised:
        read_needs(_asks("NowhereDefined"), owner="x")

    assert "NowhereDefined" in raised.value.evidence[0]
    assert "at run time" in raised.value.remedy


@pytest.mark.parametrize("annotation", ["1 +", "exit(3)"])
def test_whatever_an_annotation_raises_is_told(annotation: str) -> None:
    """Annotations are a component's code, too."""
    with pytest.raises(InjectionError, match="annotations of x cannot be read"):
        read_needs(_asks(annotation), owner="x")


@dataclass
class PlainValues:
    """Settings of a plugin."""

    size: int = 1


@dataclass
class Mixed:
    """Components, and settings with them."""

    model: ChatModel
    values: PlainValues


def test_a_dataclass_of_values_is_a_section() -> None:
    """One of components is a group, whose sections are filled as well."""
    assert read_needs(_asks(PlainValues), owner="x")[0].what == SectionOf(PlainValues)

    (need,) = read_needs(_asks(Mixed), owner="x")

    assert isinstance(need.what, Group)
    assert [each.what for each in need.what.needs] == [
        OneComponent(_slot(ChatModel), is_optional=False),
        SectionOf(PlainValues),
    ]


def _without_annotation() -> list[Callable[..., object]]:
    def make(database):  # type: ignore[no-untyped-def]
        return database

    class Repository:
        def __init__(self, database):  # type: ignore[no-untyped-def]
            self.database = database

    return [make, Repository]


@pytest.mark.parametrize("component", _without_annotation(), ids=["function", "class"])
def test_a_parameter_without_annotation_and_default_is_refused(
    component: Callable[..., object],
) -> None:
    """Nothing says what it asks for, so nothing is put there, not even None."""
    with pytest.raises(InjectionError, match="cannot be filled: database"):
        read_needs(component, owner="x")


def test_a_parameter_without_annotation_keeps_its_default() -> None:
    """It asks for nothing."""

    def make(size=7):  # type: ignore[no-untyped-def]
        return size

    assert read_needs(make, owner="x") == ()
