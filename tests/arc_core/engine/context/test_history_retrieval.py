"""Retrieved documents: they stand with the question, or the run goes on without."""

from collections.abc import Sequence
from typing import Any

import pytest

from arc_core import AgentCommand, Document, FaultSource, Retriever, UserMessage
from arc_core.settings import AgentSettings, RagPlace, RagSettings
from arc_core.testing import (
    FixedRetriever,
    ListConversationManager,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from tests.parity.components import BrokenRetriever, HangingRetriever

COMMAND = AgentCommand(user_prompt="How high is it?", system_prompt="Be brief.")
SETTINGS = AgentSettings(rag=RagSettings(top_k=2, retrieval_timeout_s=0.01))


class Asked(Retriever):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        self.asked.append((query, limit))
        return ()


class Nothing(Retriever):
    """Returns no documents, not even none."""

    async def retrieve(self, query: str, *, limit: int) -> Any:
        return None


class OwnTimeout(Retriever):
    """Gives up by itself."""

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        raise TimeoutError


DOCUMENTS = (Document("It is 8849 m high.", "atlas"), Document("It is cold."))
CONTEXT = "[Retrieved Context]\nSource: atlas\nIt is 8849 m high.\n\nIt is cold."


async def test_documents_stand_with_the_question() -> None:
    """The best ones, with their sources, in front of its text; the system prompt stays the same."""
    model = ScriptedChatModel(["8849 m."])

    await scripted_agent(model, SETTINGS, retriever=FixedRetriever(DOCUMENTS)).execute(COMMAND)

    assert model.requests[0].messages == (UserMessage(f"{CONTEXT}\n\n[Question]\nHow high is it?"),)
    assert model.requests[0].system_prompt == "Be brief."


async def test_documents_may_come_into_the_system_prompt() -> None:
    """With `rag.place = "system"` they stand below the instructions."""
    model, rag = ScriptedChatModel(["8849 m."]), RagSettings(place=RagPlace.SYSTEM)

    agent = scripted_agent(model, AgentSettings(rag=rag), retriever=FixedRetriever(DOCUMENTS))
    await agent.execute(COMMAND)

    assert model.requests[0].system_prompt == f"Be brief.\n\n{CONTEXT}"
    assert model.requests[0].messages == (UserMessage("How high is it?"),)


async def test_documents_are_not_stored() -> None:
    """The conversation has the question as it was asked."""
    model, manager = ScriptedChatModel(["8849 m."]), ListConversationManager()

    agent = scripted_agent(
        model, SETTINGS, retriever=FixedRetriever(DOCUMENTS), conversation_manager=manager
    )
    await agent.execute(COMMAND)

    assert manager.messages[0] == UserMessage("How high is it?")


async def test_the_retriever_is_asked_for_the_prompt() -> None:
    """Once a run, with the user's prompt and `rag.top_k`."""
    retriever = Asked()

    await scripted_agent(ScriptedChatModel(["8849 m."]), SETTINGS, retriever=retriever).execute(
        COMMAND
    )

    assert retriever.asked == [("How high is it?", 2)]


@pytest.mark.parametrize(
    "retriever",
    [BrokenRetriever(), HangingRetriever(), OwnTimeout(), Nothing()],
    ids=lambda retriever: type(retriever).__name__,
)
async def test_a_run_goes_on_without_documents(retriever: Retriever) -> None:
    """Raising, hanging past `rag.retrieval_timeout_s` or returning nothing costs no answer."""
    model, metrics = ScriptedChatModel(["High."]), RecordingMetrics()
    agent = scripted_agent(model, SETTINGS, retriever=retriever, agent_metrics=metrics)

    result = await agent.execute(COMMAND)

    assert result.content == "High."
    assert model.requests[0].system_prompt == "Be brief."
    assert metrics.faults == [FaultSource.RETRIEVAL]
