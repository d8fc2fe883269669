"""The offline model does what every chat model must do."""

from arc_core import ChatModel
from arc_core.testing.conformance.models.chat_model import ChatModelConformance
from arc_plugins.models.offline.chat_model import OfflineChatModel


class TestConformance(ChatModelConformance):
    """Nothing in it can fail."""

    def make_model(self) -> ChatModel:
        return OfflineChatModel()
