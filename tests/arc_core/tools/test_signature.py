"""From signatures and docstrings to JSON Schema, and from a model's JSON to arguments."""

import enum
import json
import threading
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from arc_core import ToolArgumentsError, ToolContext, ToolDefinitionError
from arc_core.tools.signature import ToolSignature


class Unit(enum.StrEnum):
    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


class Place(BaseModel):
    city: str
    country: str = "KR"


def forecast(city: str, days: int = 3, *, unit: Unit = Unit.CELSIUS) -> str:
    """Weather of the next days.

    Args:
        city: Name of the city.
        days: How many days.
        unit: Of the temperatures.
    """
    return f"{city} {days} {unit}"


def test_required_and_optional_parameters() -> None:
    """A parameter without a default is required, and a default is shown to the model."""
    parameters = ToolSignature.of(forecast).parameters

    assert parameters["required"] == ["city"]
    assert parameters["properties"]["days"]["default"] == 3
    assert parameters["properties"]["unit"]["default"] == "celsius"
    assert parameters["additionalProperties"] is False


def test_descriptions_come_from_the_docstring() -> None:
    """The docstring's text describes the tool, its sections describe the parameters."""
    signature = ToolSignature.of(forecast)

    assert signature.description == "Weather of the next days."
    assert signature.parameters["properties"]["city"]["description"] == "Name of the city."


@pytest.mark.parametrize(
    "docstring",
    [
        "Do it.\n\n:param city: The place.\n",
        "Do it.\n\nParameters\n----------\ncity : str\n    The place.\n",
        "Do it.\n\nArgs:\n    city: The place.\n",
    ],
    ids=["reST", "NumPy", "Google"],
)
def test_every_style_of_docstring_is_read(docstring: str) -> None:
    """Google, NumPy and reST docstrings describe parameters alike."""

    def do_it(city: str) -> None: ...

    do_it.__doc__ = docstring

    signature = ToolSignature.of(do_it)

    assert signature.description == "Do it."
    assert signature.parameters["properties"]["city"]["description"] == "The place."


def test_a_field_describes_and_bounds_a_parameter() -> None:
    """`Field` in an annotation wins over the docstring, and its bounds are checked."""

    def wait(seconds: Annotated[int, Field(ge=1, description="How long.")]) -> None:
        """Wait.

        Args:
            seconds: Something else.
        """

    signature = ToolSignature.of(wait)

    assert signature.parameters["properties"]["seconds"] == {
        "description": "How long.",
        "minimum": 1,
        "type": "integer",
    }
    with pytest.raises(ToolArgumentsError, match="seconds"):
        signature.parse('{"seconds": 0}')


def test_no_parameters_give_an_empty_object() -> None:
    """A function without parameters still has a complete object schema."""

    def ping() -> None: ...

    assert ToolSignature.of(ping).parameters == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_titles_are_left_out() -> None:
    """Titles repeat names and would cost tokens in every request."""

    def visit(place: Place, on: date, by: Literal["bus", "train"]) -> None: ...

    assert '"title"' not in json.dumps(ToolSignature.of(visit).parameters)


def test_arguments_arrive_in_the_types_of_the_signature() -> None:
    """Models, dates and enums reach the function as themselves, not as JSON."""

    def visit(place: Place, on: date, unit: Unit) -> None: ...

    arguments = ToolSignature.of(visit).parse(
        '{"place": {"city": "Seoul"}, "on": "2030-01-02", "unit": "celsius"}'
    )

    assert arguments == {"place": Place(city="Seoul"), "on": date(2030, 1, 2), "unit": Unit.CELSIUS}


def test_absent_optional_arguments_are_left_to_the_function() -> None:
    """What the model leaves out is not filled in, so that the function's own default holds."""
    assert ToolSignature.of(forecast).parse('{"city": "Seoul"}') == {"city": "Seoul"}


@pytest.mark.parametrize("text", ["", " \n"])
def test_blank_text_is_an_object_without_fields(text: str) -> None:
    """Models send nothing at all to a tool without parameters."""

    def ping() -> None: ...

    assert ToolSignature.of(ping).parse(text) == {}


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ("city: Field required",)),
        ('{"city": 1}', ("city: Input should be a valid string",)),
        ('{"city": "Seoul", "town": 1}', ("town: Extra inputs are not permitted",)),
        ("[1]", ("arguments: Input should be an object",)),
        ("null", ("arguments: Input should be an object",)),
        (
            '{"days": "many"}',
            (
                "city: Field required",
                "days: Input should be a valid integer, unable to parse string as an integer",
            ),
        ),
    ],
)
def test_each_field_that_does_not_fit_has_a_sentence(text: str, problems: tuple[str, ...]) -> None:
    """A model is told field by field what is wrong, without its own input repeated."""
    with pytest.raises(ToolArgumentsError) as caught:
        ToolSignature.of(forecast).parse(text)

    assert caught.value.problems == problems


def test_nested_fields_are_named_by_path() -> None:
    """A problem inside an object or a list is found by its path."""

    def visit(places: list[Place]) -> None: ...

    with pytest.raises(ToolArgumentsError, match=r"places\.1\.city: Field required"):
        ToolSignature.of(visit).parse('{"places": [{"city": "Seoul"}, {}]}')


@pytest.mark.slow
@given(st.text())
@pytest.mark.filterwarnings("error")
def test_any_text_is_arguments_or_an_arguments_error(text: str) -> None:
    """Whatever a model writes, nothing but a `ToolArgumentsError` leaves the parser."""
    try:
        arguments = ToolSignature.of(forecast).parse(text)
    except ToolArgumentsError:
        return

    assert "city" in arguments


@pytest.mark.parametrize("text", ['{"city": "\ud83d"}', '{"city": "\\ud83d"}', "[" * 100_000])
def test_hostile_text_is_an_arguments_error(text: str) -> None:
    """Half a character or a hundred thousand brackets are wrong arguments and nothing worse."""
    with pytest.raises(ToolArgumentsError):
        ToolSignature.of(forecast).parse(text)


def test_the_context_is_not_shown_to_the_model() -> None:
    """A `ToolContext` parameter is found by its type and hidden from the schema."""

    def who(question: str, run: ToolContext) -> None: ...

    signature = ToolSignature.of(who)

    assert signature.context_parameter == "run"
    assert list(signature.parameters["properties"]) == ["question"]


def optional(run: ToolContext | None = None) -> None: ...
def annotated(run: Annotated[ToolContext, "injected"]) -> None: ...


@pytest.mark.parametrize("function", [optional, annotated])
def test_no_spelling_lets_the_model_write_the_context(function: Callable[..., Any]) -> None:
    """A model that could fill in the context could pretend to be another user."""
    signature = ToolSignature.of(function)

    assert signature.context_parameter == "run"
    assert signature.parameters["properties"] == {}


def unannotated(city) -> None: ...  # type: ignore[no-untyped-def]
def variadic(*cities: str) -> None: ...
def keywords(**cities: str) -> None: ...
def positional(city: str, /) -> None: ...
def unknown_type(city: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821
def no_json(city: type) -> None: ...
def arbitrary_class(city: threading.Lock) -> None: ...
def default_field(city: str = Field(description="The city.")) -> None: ...
def two_contexts(one: ToolContext, two: ToolContext) -> None: ...


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (unannotated, r"'city' has no type annotation\. Write its type, as in `city: str`"),
        (variadic, r"\*cities"),
        (keywords, r"\*\*cities"),
        (positional, "city"),
        (unknown_type, "'Nowhere' is not defined"),
        (no_json, "no JSON Schema"),
        (arbitrary_class, "no JSON Schema"),
        (default_field, r"'city'.*Annotated"),
        (two_contexts, "ToolContext"),
    ],
)
def test_functions_that_cannot_be_described_are_refused(
    function: Callable[..., Any], says: str
) -> None:
    """The error names the function and what to write, when it is decorated and not when called."""
    with pytest.raises(ToolDefinitionError, match=says) as caught:
        ToolSignature.of(function)

    assert function.__name__ in str(caught.value)


def test_defaults_that_json_cannot_carry_are_not_shown() -> None:
    """Such a parameter is optional, without a default in its schema."""

    def read(raw: bytes = b"\xff", place: str = object()) -> None: ...  # type: ignore[assignment]

    parameters = ToolSignature.of(read).parameters

    assert "required" not in parameters
    assert all("default" not in shown for shown in parameters["properties"].values())
