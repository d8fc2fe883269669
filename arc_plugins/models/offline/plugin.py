"""Registers the offline model: the chat model if no other is registered."""

from arc_core import ChatModel, Registry, hookimpl
from arc_core.conditions import on_missing


@hookimpl
def arc_register(registry: Registry) -> None:
    """The model by its place, so that it is imported only if it answers."""
    place = "arc_plugins.models.offline.chat_model:OfflineChatModel"
    registry.provide(ChatModel, place, name="offline", condition=on_missing(ChatModel))
