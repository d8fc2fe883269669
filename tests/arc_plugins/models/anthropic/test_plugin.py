"""The Anthropic model is offered where there is a key, and costs nothing until it is chosen."""

import subprocess
import sys

from arc_core import ChatModel
from arc_core.conditions import OnEnv
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.anthropic.plugin import arc_register
from tests.arc_plugins.registrations import RecordingRegistry


def test_it_is_offered_where_there_is_a_key() -> None:
    """The variable is Anthropic's own."""
    registry = RecordingRegistry()

    arc_register(registry)

    registration = registry.registrations["anthropic"]
    assert registration.interface is ChatModel
    assert registration.condition == OnEnv("ANTHROPIC_API_KEY")
    assert registration.imported() is AnthropicChatModel


def test_registering_imports_no_sdk() -> None:
    """The SDK is imported only once the model is chosen."""
    program = (
        "import sys, arc_plugins.models.anthropic.plugin; sys.exit('anthropic' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
