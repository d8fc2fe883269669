"""Offers OpenAI's models where there is a key for them, by the API that `llm.api` names.

If it names none, OpenAI's own address is asked by Responses, and a server at another address, or a
host, by Chat Completions: few others speak the newer API.
"""

from arc_core import ChatModel, Registry, hookimpl
from arc_core.conditions import on_env, on_setting
from arc_plugins.models.openai import OpenAIApi

_CHAT = "arc_plugins.models.openai.chat.chat_model:OpenAIChatModel"
_RESPONSES = "arc_plugins.models.openai.responses.chat_model:OpenAIResponsesChatModel"


@hookimpl
def arc_register(registry: Registry) -> None:
    """Provide the chat models; the SDK is imported only once one is chosen."""
    named = on_setting("llm.provider", "openai") | on_setting("components.chat_model", "openai")
    wanted = on_env("OPENAI_API_KEY") | named
    unnamed = on_setting("llm.api", None)
    elsewhere = on_setting("llm.base_url") | on_env("OPENAI_BASE_URL") | on_setting("llm.host")
    by_chat = on_setting("llm.api", OpenAIApi.CHAT) | (unnamed & elsewhere)
    by_responses = on_setting("llm.api", OpenAIApi.RESPONSES) | (unnamed & ~elsewhere)
    registry.provide(ChatModel, _CHAT, name="openai", condition=wanted & by_chat)
    registry.provide(ChatModel, _RESPONSES, name="openai", condition=wanted & by_responses)
    registry.provide(
        ChatModel,
        _RESPONSES,
        name="openai_responses",
        condition=on_setting("llm.provider", "openai_responses"),
    )
