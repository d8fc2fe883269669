"""The official SDK, unchanged, asking a served application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from openai import AsyncOpenAI
from pydantic import BaseModel

from arc_autoconfig import Application, ArcSettings
from arc_core import ToolCall, tool
from tests.serving import serving_app

__all__ = ["REFUND", "ROME", "City", "asking", "get_weather", "refund", "say"]

_ONCE = {"max_attempts": 1}


class City(BaseModel):
    """A structured answer."""

    name: str
    inhabitants: int


ROME = City(name="Rome", inhabitants=3)
REFUND = [ToolCall("call-1", "refund", '{"order": "7"}')]


@tool
async def get_weather(city: str) -> str:
    """Current weather of a city."""
    return f"Sunny in {city}"


@tool(needs_approval=True)
async def refund(order: str) -> str:
    """Pay the price of an order back."""
    return f"paid {order} back"


def say(text: str) -> list[Any]:
    """Messages with one of the user."""
    return [{"role": "user", "content": text}]


@asynccontextmanager
async def asking(
    *components: object, key: str = "unused", **sections: Any
) -> AsyncIterator[AsyncOpenAI]:
    """A client of an application with these components, which asks once.

    Args:
        *components: Registered, a chat model among them.
        key: That the client shows.
        **sections: Of the settings.
    """
    settings = ArcSettings(_isolated=True, **({"retry": _ONCE} | sections))
    app = Application(settings, register=list(components), plugins=False)
    async with (
        serving_app(app.asgi()) as url,
        AsyncOpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0) as client,
    ):
        yield client
