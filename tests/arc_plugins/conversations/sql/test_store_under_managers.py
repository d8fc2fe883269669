"""Managers keep what every manager promises with their conversations in a database."""

from collections.abc import AsyncIterator

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")

from arc_core import ConversationManager
from arc_core.log import get_logger
from arc_core.settings import LlmSettings
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.conversations.conversation_manager import (
    ConversationManagerConformance,
)
from arc_plugins.conversations.managers.summarizing import SummarizingConversationManager
from arc_plugins.conversations.managers.window import WindowConversationManager
from arc_plugins.conversations.settings import HistorySettings
from tests.arc_plugins.conversations.sql.databases import store_at

pytestmark = pytest.mark.slow


class InDatabase(ConversationManagerConformance):
    """A store for the manager."""

    @pytest.fixture(autouse=True)
    async def _store_of_its_own(self, migrated_database: str) -> AsyncIterator[None]:
        async with running(store_at(migrated_database)) as self.store:
            yield


class TestWindow(InDatabase):
    """The window, on both databases."""

    def make_manager(self) -> ConversationManager:
        return WindowConversationManager(
            store=self.store, settings=HistorySettings(), logger=get_logger("test")
        )


class TestSummarizing(InDatabase):
    """The summary, on both databases."""

    def make_manager(self) -> ConversationManager:
        return SummarizingConversationManager(
            store=self.store,
            chat_model=ScriptedChatModel([lambda _request: "notes"] * 99),
            settings=HistorySettings(summarize=True),
            llm=LlmSettings(),
            logger=get_logger("test"),
        )
