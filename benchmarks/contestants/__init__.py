"""Who is measured: each contestant asks the fake vendor in its own way."""

from collections.abc import AsyncGenerator
from importlib import import_module
from typing import Protocol, cast

__all__ = ["NAMES", "SYSTEM", "Contestant", "contestant", "get_time", "get_weather"]

NAMES = (
    "openai_transport",
    "openai_sdk",
    "arc_openai",
    "arc_openai_responses",
    "anthropic_transport",
    "anthropic_sdk",
    "arc_anthropic",
    "arc_gemini",
)
SYSTEM = "You are a helpful assistant."


async def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"clear in {city}"


async def get_time(city: str) -> str:
    """The local time of a city."""
    return f"noon in {city}"


class Contestant(Protocol):
    """One way to ask a model."""

    async def start(self) -> None:
        """Get ready, as an application would."""

    async def close(self) -> None:
        """Give everything back."""

    async def run(self, prompt: str) -> str:
        """The answer, with two tools on offer."""

    def stream(self, prompt: str, *, tools: bool) -> AsyncGenerator[str]:
        """The answer in pieces."""

    async def turn(self, prompt: str, *, session: str) -> str:
        """The answer in a conversation that grows."""


def contestant(name: str, url: str) -> Contestant:
    """A contestant at a vendor's address, which ends with the script."""
    module = import_module(f"benchmarks.contestants.{name}")
    return cast(Contestant, module.Contestant(url))
