"""The dress of instructions is weighed: what ordinary texts have, too, says nothing alone."""

from arc_plugins.guards.injection_detection.marks import MarkedPattern
from arc_plugins.guards.injection_detection.patterns import read_table
from arc_plugins.guards.injection_detection.results import weigh_dress

FRAME = "<information>\nThis is an important message from me to you.\n</information>"


def test_signs_near_to_each_other_are_added_up() -> None:
    """A frame and a message to the model; far from each other they are two weak signs."""
    frame, message = "<information>\n", "This is an important message from me to you."

    assert 0 < weigh_dress(frame) < 0.5
    assert weigh_dress(f"{frame}{message}") >= 0.5
    assert weigh_dress(f"{frame}{'Cheese. ' * 100}{message}") < 0.5


def test_the_same_sign_counts_once() -> None:
    """A page may have many frames."""
    assert weigh_dress("<information>\n" * 5) == weigh_dress("<information>\n")


def test_every_pattern_says_what_it_needs() -> None:
    """In lower case, in which texts are compared."""
    table = read_table("results/dress")
    patterns = [MarkedPattern.read(row, table["parts"]) for row in table["patterns"]]

    assert all(pattern.marks for pattern in patterns)
    assert all(mark == mark.lower() for pattern in patterns for mark in pattern.marks)


def test_a_text_without_marks_weighs_nothing() -> None:
    """Nothing is looked for in it."""
    assert weigh_dress("") == weigh_dress("Cheese and wine.") == 0.0
