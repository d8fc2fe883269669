"""Offers Anthropic's models where there is a key for them."""

from arc_core import ChatModel, Registry, hookimpl
from arc_core.conditions import on_env


@hookimpl
def arc_register(registry: Registry) -> None:
    """Provide the chat model; the SDK is imported only once it is chosen."""
    place = "arc_plugins.models.anthropic.chat_model:AnthropicChatModel"
    registry.provide(ChatModel, place, name="anthropic", condition=on_env("ANTHROPIC_API_KEY"))
