"""What tests of several vendors' models ask, offer and are answered."""

from pydantic import BaseModel

from arc_core import ToolOutcome, ToolResult, ToolResultMessage, tool
from arc_core.testing.vendor_server import Reply

__all__ = ["NOT_OBJECTS", "RESULTS", "City", "get_weather", "reject"]

RESULTS = ToolResultMessage(
    (ToolResult("a", "f", "sunny"), ToolResult("b", "g", "Error: no", ToolOutcome.FAILED))
)

NOT_OBJECTS = (b"", b"<html>", b"[]", b"null", b"{}")
"""Bodies that are no answer of any vendor."""


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return city


class City(BaseModel):
    """An answer."""

    name: str


def reject(parameter: str) -> Reply:
    """A refusal of OpenAI's that names a parameter."""
    return Reply.json({"error": {"message": "Unsupported", "param": parameter}}, status=400)
