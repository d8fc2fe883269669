"""What is read of a value is noted."""

from arc_core import ToolResult
from arc_core.testing.conformance.components import watch


def test_only_fields_that_are_read_are_noted() -> None:
    """The copy is as the value, and the value is not touched."""
    reads: set[str] = set()
    value = ToolResult("1", "find", "found")

    copy = watch(value, reads)

    assert isinstance(copy, ToolResult)
    assert reads == set()
    assert copy.content == "found"
    assert reads == {"ToolResult.content"}
