"""Offers OpenAI's models where there is a key for them."""

from arc_core import ChatModel, Registry, hookimpl
from arc_core.conditions import on_env

__all__ = ["arc_register"]


@hookimpl
def arc_register(registry: Registry) -> None:
    """Provide the chat model; the SDK is imported only once it is chosen."""
    registry.provide(
        ChatModel,
        "arc_plugins.models.openai.chat.chat_model:OpenAIChatModel",
        name="openai",
        condition=on_env("OPENAI_API_KEY"),
    )
