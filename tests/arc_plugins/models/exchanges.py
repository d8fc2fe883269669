"""What tests of several vendors' models ask, offer and are answered."""

from typing import Any

from pydantic import BaseModel

from arc_core import ToolOutcome, ToolResult, ToolResultMessage, tool
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_core.wire.http_chat_model import HttpChatModel

__all__ = ["NOT_OBJECTS", "RESULTS", "City", "ModelWithVendor", "get_weather", "reject"]

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


class ModelWithVendor(HttpChatModel[Any]):
    """Brings its own vendor: started and closed with it.

    Attributes:
        base_path: Of the vendor's API.
    """

    base_path = ""

    def __init__(self, reply: Reply, streamed: Reply) -> None:
        super().__init__(settings=LlmSettings())

        def choose(request: ReceivedRequest) -> Reply:
            is_streamed = "stream" in request.path or request.json().get("stream")
            return streamed if is_streamed else reply

        self._vendor_server = VendorServer(*[choose] * 9)

    async def start(self) -> None:
        """Start the vendor, too."""
        await self._vendor_server.__aenter__()
        self.settings = LlmSettings(base_url=self._vendor_server.url + self.base_path)
        await super().start()

    async def aclose(self) -> None:
        """Close the vendor, too."""
        await super().aclose()
        await self._vendor_server.__aexit__(None, None, None)
