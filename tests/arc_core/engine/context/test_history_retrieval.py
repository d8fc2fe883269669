"""Retrieved documents: they stand with the question, or the run goes on without."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arc_core import AgentCommand, Document, FaultSource, Reranker, Retriever, UserMessage
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

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        self.asked.append((query, limit))
        return ()


class Nothing(Retriever):
    """Returns no documents, not even none."""

    async def retrieve(self, query: str, *, limit: int, filter: Mapping[str, str] = {}) -> Any:
        return None


class OwnTimeout(Retriever):
    """Gives up by itself."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
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


class TenantRetriever(Asked):
    """Remembers the filters, and finds a document of a tenant whatever they are."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        self.filter = dict(filter)
        return [Document("Secret.", metadata={"tenant": "acme"})]


@pytest.mark.parametrize(("tenant", "sees"), [(" acme ", True), ("other", False), (None, False)])
async def test_another_tenants_document_reaches_no_model(tenant: str | None, sees: object) -> None:
    """The filter says whose run it is, and a retriever that does not keep to it finds nothing."""
    model, retriever = ScriptedChatModel(["Yes."]), TenantRetriever()
    command = COMMAND.model_copy(update={"tenant_id": tenant})

    await scripted_agent(model, SETTINGS, retriever=retriever).execute(command)

    assert retriever.filter == {"tenant": (tenant or "").strip()}
    assert ("Secret." in str(model.requests[0].messages)) == bool(sees)


async def test_the_tenant_filter_can_be_off() -> None:
    """With `rag.tenant_filter = false` nothing is asked of the retriever."""
    model, retriever = ScriptedChatModel(["Yes."]), TenantRetriever()
    settings = AgentSettings(rag=RagSettings(tenant_filter=False))

    await scripted_agent(model, settings, retriever=retriever).execute(COMMAND)

    assert retriever.filter == {}
    assert "Secret." in str(model.requests[0].messages)


class LastFirst(Reranker):
    """Turns the order round, and notes how many it got."""

    async def rerank(
        self, query: str, documents: Sequence[Document], *, limit: int
    ) -> Sequence[Document]:
        self.got = len(documents)
        return documents[::-1][:limit]


async def test_a_reranker_chooses_among_more_documents() -> None:
    """It gets `rag.candidates` of them, and the model `rag.top_k`."""
    model, reranker = ScriptedChatModel(["Yes."]), LastFirst()
    documents = [Document(f"page {number}.") for number in range(9)]
    settings = AgentSettings(rag=RagSettings(top_k=1, candidates=5))

    agent = scripted_agent(model, settings, retriever=FixedRetriever(documents), reranker=reranker)
    await agent.execute(COMMAND)

    assert reranker.got == 5
    assert "page 4." in str(model.requests[0].messages)
    assert "page 3." not in str(model.requests[0].messages)
