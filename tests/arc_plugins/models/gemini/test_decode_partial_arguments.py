"""The arguments of a call that comes in pieces."""

from typing import Any

import pytest

from arc_plugins.models.gemini.decode import PartialArguments


def put_together(*pieces: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """The arguments of pieces at places."""
    arguments = PartialArguments()
    for path, value in pieces:
        arguments.add({"jsonPath": path, **value})
    return arguments.value


def test_values_stand_at_their_places() -> None:
    """In objects and lists, each made when its first value comes."""
    value = put_together(
        ("$.steps[0].name", {"stringValue": "mix"}),
        ("$.steps[1]", {"numberValue": 2}),
        ("$['a b']", {"boolValue": False}),
        ("$.none", {"nullValue": "NULL_VALUE"}),
    )

    assert value == {"steps": [{"name": "mix"}, 2], "a b": False, "none": None}


def test_texts_at_one_place_are_appended() -> None:
    """The last one is empty."""
    pieces = [("$.city", {"stringValue": text}) for text in ("San ", "Francisco", "")]

    assert put_together(*pieces) == {"city": "San Francisco"}


@pytest.mark.parametrize(
    "path", ["$", "", "$.list[999999]", "$.list.x", "$.text[0]", "$x", "$.a" * 65]
)
def test_a_place_that_cannot_be_is_refused(path: str) -> None:
    """No list is made long by a number, and nothing is nested without end."""
    begun: list[tuple[str, dict[str, Any]]] = [
        ("$.list[0]", {"numberValue": 1}),
        ("$.text", {"stringValue": "a"}),
    ]

    with pytest.raises((TypeError, ValueError), match="a piece of a call"):
        put_together(*begun, (path, {"numberValue": 1}))
