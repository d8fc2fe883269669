"""OpenAI, and every server that speaks one of its APIs."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from arc_core.settings import Harmless, LlmSettings

__all__ = ["OpenAIApi", "OpenAISettings"]


class OpenAIApi(StrEnum):
    """An API of OpenAI's, or of a server that speaks it."""

    CHAT = "chat"
    """Chat Completions, which all compatible servers have."""

    RESPONSES = "responses"
    """OpenAI's newer models think and call tools in one request only here."""


class OpenAISettings(LlmSettings):
    """The settings of OpenAI, or of a compatible server."""

    api: Annotated[OpenAIApi | None, Harmless("chooses between two ways to ask one server")] = (
        Field(
            default=None,
            description="none is responses at OpenAI's own address, and chat at any other",
        )
    )
