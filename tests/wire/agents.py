"""A whole application whose vendor is on loopback."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import RunFinished, TextDelta, tool
from arc_core.events import AgentEvent
from arc_core.testing.vendor_server import VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.wire.models import VendorModel


@tool
async def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: Its name.
    """
    return f"sunny in {city}"


@tool
async def get_time(city: str) -> str:
    """The local time of a city."""
    return f"noon in {city}"


@asynccontextmanager
async def agent(
    server: VendorServer, model_type: type[VendorModel], **settings: Any
) -> AsyncIterator[Application]:
    """An application with two tools; no retry waits."""
    provider = {
        OpenAIChatModel: "openai",
        AnthropicChatModel: "anthropic",
        OpenAIResponsesChatModel: "openai_responses",
        GeminiChatModel: "gemini",
    }[model_type]
    arc_settings = ArcSettings(
        llm={"provider": provider, "base_url": f"{server.url}/v1"},
        retry={"initial_delay_s": 0},
        **settings,
    )
    application = Application(arc_settings, register=[get_weather, get_time], plugins=False)
    async with application:
        yield application
    await server.wait_until(lambda: server.open_connections == 0)


async def events_of(application: Application, prompt: str) -> list[AgentEvent]:
    """All events of a run."""
    return [event async for event in application.stream_events(prompt)]


def get_text(events: list[AgentEvent]) -> str:
    """The text that was handed out."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def ends_of(events: list[AgentEvent]) -> list[RunFinished]:
    """The ends of a run; there must be one."""
    return [event for event in events if isinstance(event, RunFinished)]
