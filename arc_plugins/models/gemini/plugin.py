"""Offers Gemini where there is a key for it."""

from arc_core import ChatModel, Registry, hookimpl
from arc_core.conditions import on_env


@hookimpl
def arc_register(registry: Registry) -> None:
    """Provide the chat model."""
    place = "arc_plugins.models.gemini.chat_model:GeminiChatModel"
    has_key = on_env("GEMINI_API_KEY") | on_env("GOOGLE_API_KEY")
    registry.provide(ChatModel, place, name="gemini", condition=has_key)
