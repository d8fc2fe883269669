"""What the errors say."""

import pytest

from arc_core.assembly import AssemblyError, ListenerError
from arc_core.errors import ArcError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            AssemblyError(class_name="Call", problem="no field fits", remedy="Remove it."),
            "Call: no field fits. Remove it.",
        ),
        (
            AssemblyError(
                class_name="Call", field="index", path="index", problem="expected int",
                value_type="str", remedy="Send one.",
            ),
            "Call.index: expected int, not str. Send one.",
        ),
        (
            AssemblyError(
                class_name="Call", field="index", path="calls.index", problem="expected int",
                value_type="str", remedy="Send one.",
            ),
            "Call.index (at calls.index): expected int, not str. Send one.",
        ),
        (
            ListenerError(method="on_next"),
            "the listener's on_next raised; see the cause, and handle it in the listener",
        ),
    ],
    ids=["class", "field", "path", "listener"],
)  # fmt: skip
def test_errors_name_the_place_and_the_remedy(error: ArcError, text: str) -> None:
    """Class, field, path where it says more, type of the value, and what to do."""
    assert str(error) == text


def test_a_path_grows_from_the_inside_out() -> None:
    """An object that contains the faulty one puts its own field in front."""
    error = AssemblyError(class_name="Node", field="text", path="text", problem="", remedy="")

    error.below("child")
    error.below("tree.child")

    assert error.path == "tree.child.child.text"
