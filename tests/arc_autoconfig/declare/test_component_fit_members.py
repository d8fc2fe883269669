"""What an interface consists of."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pytest

from arc_autoconfig.declare.component_fit import get_fields, get_methods, has_type, is_optional
from arc_core import ChatModel, Guard, Hook


def test_methods_and_fields_are_read_from_the_interface() -> None:
    """In the order in which it defines them, with their types."""
    assert get_methods(ChatModel) == ("complete", "stream")
    assert get_fields(Hook) == {"order": int, "fail_on_error": bool}
    assert not is_optional(Guard, "check")
    assert is_optional(Hook, "before_tool_call")


@pytest.mark.parametrize(
    ("value", "hint", "fits"),
    [
        (5, int, True),
        (True, int, False),
        (True, bool, True),
        (1, bool, False),
        (5, float | None, True),
        (None, float | None, True),
        ("5", float | None, False),
        ({}, Mapping[str, Any], True),
        ([], Mapping[str, Any], False),
        (object(), Any, True),
        ("/page", Collection[str], False),
        (["/page"], Collection[str], True),
        ("/page", Sequence[str] | None, False),
        ("/page", Sequence[str] | str, True),
        ("/page", object, True),
        ("x", "unreadable", True),
    ],
)
def test_a_value_is_judged_by_its_annotation(value: object, hint: Any, fits: bool) -> None:  # noqa: FBT001 -- a parameter of the table
    """True is not a number, a whole number is a float, and what cannot be judged passes."""
    assert has_type(value, hint) is fits
