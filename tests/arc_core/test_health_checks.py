"""Checks that components of one kind share."""

from typing import Any

import pytest

from arc_core import ConversationOwner, Message, ModelUnavailableError, UserMessage
from arc_core.errors import AuthenticationError, ContextTooLongError, ModelError
from arc_core.health_checks import check_chat_model, check_conversation_store, check_response_cache
from arc_core.interfaces.optional import HealthStatus
from arc_core.testing import DictResponseCache, ScriptedChatModel
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore


async def test_a_chat_model_is_asked_one_small_question() -> None:
    """Of the model that is configured, within a few tokens."""
    model = ScriptedChatModel(["OK"])

    health = await check_chat_model(model, name="acme", model="acme-1")

    assert (health.status, health.remedy) == (HealthStatus.OK, None)
    assert health.summary == "acme answers with 2 characters"
    assert [(each.model, each.max_output_tokens) for each in model.requests] == [("acme-1", 64)]


@pytest.mark.parametrize(
    ("error", "summary", "remedy"),
    [
        (
            AuthenticationError("sk-secret"),
            "AuthenticationError",
            "check llm.api_key, or the vendor's variable for its API key",
        ),
        (
            ModelUnavailableError("http://ann:secret@host\ncannot be reached"),
            "ModelUnavailableError: http://**********@host cannot be reached",
            "check llm.base_url, the network and the vendor's status page",
        ),
        (ContextTooLongError("x"), "ContextTooLongError", "see ContextTooLongError in docs"),
    ],
)
async def test_a_chat_model_that_fails_is_an_error(
    error: ModelError, summary: str, remedy: str
) -> None:
    """With what to do; what the vendor says is not repeated, unless it was not reached."""
    health = await check_chat_model(ScriptedChatModel([error]), name="acme")

    assert health.status is HealthStatus.ERROR
    assert health.summary == f"acme does not answer: {summary}"
    assert (health.remedy or "").startswith(remedy)


async def test_a_conversation_is_written_read_and_deleted() -> None:
    """Nothing is left behind."""
    store = InMemoryConversationStore()

    health = await check_conversation_store(store, name="acme")

    assert health.status is HealthStatus.OK
    assert health.summary == "acme keeps what is written, and deletes it"
    assert len(store._sessions) == 0


async def test_a_store_that_forgets_is_an_error() -> None:
    """So is one that gives back something else."""

    class Other(InMemoryConversationStore):
        async def load(
            self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
        ) -> list[Message]:
            return [UserMessage("other")]

    health = await check_conversation_store(Other(), name="acme")

    assert health.status is HealthStatus.ERROR
    assert health.summary == "acme does not give back what was written"
    assert "conversation_store" in (health.remedy or "")


async def test_an_answer_is_put_got_and_invalidated() -> None:
    """Nothing is left behind."""
    cache = DictResponseCache()

    health = await check_response_cache(cache, name="acme")

    assert (health.status, health.summary) == (HealthStatus.OK, "acme keeps what is put")
    assert cache.responses == {}


async def test_a_cache_that_forgets_is_an_error() -> None:
    """A server that cannot be reached looks like this."""

    class Forgetful(DictResponseCache):
        async def put(self, key: str, response: Any) -> None: ...

    health = await check_response_cache(Forgetful(), name="acme")

    assert health.status is HealthStatus.ERROR
    assert "response_cache" in (health.remedy or "")
