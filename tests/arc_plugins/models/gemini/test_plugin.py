"""Gemini is offered where there is a key, by either of its names."""

from arc_core import ChatModel
from arc_core.conditions import on_env
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.gemini.plugin import arc_register
from tests.arc_plugins.registrations import RecordingRegistry


def test_it_is_offered_where_there_is_a_key() -> None:
    """The variables are those of Google's SDK."""
    registry = RecordingRegistry()

    arc_register(registry)

    registration = registry.registrations["gemini"]
    assert registration.interface is ChatModel
    assert registration.condition == on_env("GEMINI_API_KEY") | on_env("GOOGLE_API_KEY")
    assert registration.imported() is GeminiChatModel
