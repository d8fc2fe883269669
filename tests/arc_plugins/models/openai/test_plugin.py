"""The OpenAI model is offered where there is a key, and costs nothing until it is chosen."""

import subprocess
import sys

from arc_core import ChatModel
from arc_core.conditions import OnEnv
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.plugin import arc_register
from tests.arc_plugins.registrations import RecordingRegistry


def test_it_is_offered_where_there_is_a_key() -> None:
    """The variable is OpenAI's own."""
    registry = RecordingRegistry()

    arc_register(registry)

    registration = registry.registrations["openai"]
    assert registration.interface is ChatModel
    assert registration.condition == OnEnv("OPENAI_API_KEY")
    assert registration.imported() is OpenAIChatModel


def test_registering_imports_no_sdk() -> None:
    """The SDK is imported only once the model is chosen."""
    program = "import sys, arc_plugins.models.openai.plugin; sys.exit('openai' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
