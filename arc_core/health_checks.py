"""Checks that components of one kind share: each does what a run would, and leaves nothing behind.

A component's own `check_health` is one line then:

```python
async def check_health(self) -> Health:
    return await check_conversation_store(self, name="acme")
```
"""

import secrets

from arc_core.errors import AgentErrorCode, ModelError
from arc_core.interfaces.conversations.conversation_store import (
    ConversationOwner,
    ConversationStore,
)
from arc_core.interfaces.models.chat_model import ChatModel, ChatRequest
from arc_core.interfaces.models.embedder import Embedder
from arc_core.interfaces.models.response_cache import CachedResponse, ResponseCache
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.messages import AssistantMessage, UserMessage
from arc_core.text.addresses import mask_addresses

_MAX_ANSWER_TOKENS = 64

_CHECK_SERVER = "check {section}.base_url, the network and the vendor's status page"
_REMEDIES = {
    AgentErrorCode.AUTHENTICATION: "check {section}.api_key, or the vendor's variable for its API "
    "key",
    AgentErrorCode.RATE_LIMITED: "wait, or raise the account's limits with the vendor",
    AgentErrorCode.UNAVAILABLE: _CHECK_SERVER,
    AgentErrorCode.TIMEOUT: _CHECK_SERVER,
    AgentErrorCode.OVERLOADED: "try again later",
}


async def check_chat_model(chat_model: ChatModel, *, name: str, model: str | None = None) -> Health:
    """Ask for one word.

    Args:
        chat_model: Answers within a few tokens.
        name: How people know it.
        model: The vendor's name of what is asked; None is the chat model's default.
    """
    request = ChatRequest(
        messages=(UserMessage("Answer with the word OK."),),
        model=model,
        max_output_tokens=_MAX_ANSWER_TOKENS,
    )
    try:
        response = await chat_model.complete(request)
    except ModelError as error:
        return _no_answer(name, error, section="llm")
    return _ok(f"{name} answers with {len(response.message.text)} characters")


async def check_embedder(embedder: Embedder, *, name: str) -> Health:
    """Embed one word.

    Args:
        embedder: Started.
        name: How people know it.
    """
    try:
        [vector] = await embedder.embed(["weather"], kind="query")
    except ModelError as error:
        return _no_answer(name, error, section="embedder")
    return _ok(f"{embedder.name} of {name} answers with {len(vector)} numbers")


def _no_answer(name: str, error: ModelError, *, section: str) -> Health:
    remedy = _REMEDIES.get(error.code, f"see {type(error).__name__} in docs/errors.md")
    return Health(
        status=HealthStatus.ERROR,
        summary=f"{name} does not answer: {_in_words(error)}",
        remedy=remedy.format(section=section),
    )


def _in_words(error: ModelError) -> str:
    """The kind of a failure; of a server that was not reached also the address and the cause."""
    kind = type(error).__name__
    is_unreached = error.code in {AgentErrorCode.UNAVAILABLE, AgentErrorCode.TIMEOUT}
    text = mask_addresses(" ".join(str(error).split())) if is_unreached else ""
    return f"{kind}: {text}" if text else kind


async def check_conversation_store(store: ConversationStore, *, name: str) -> Health:
    """Write a conversation, read it back, delete it.

    Args:
        store: Started.
        name: How people know it.
    """
    session, owner = f"arc-doctor-{secrets.token_hex(8)}", ConversationOwner(user_id="arc-doctor")
    written = (UserMessage("question"), AssistantMessage("answer"))
    try:
        await store.append(session, written, owner=owner)
        kept = tuple(await store.load(session, owner=owner, max_turns=1))
    finally:
        await store.delete(session)
    texts = [getattr(message, "content", None) for message in kept]
    if texts != [message.content for message in written]:
        return _forgetful(name, "conversation_store")
    return _ok(f"{name} keeps what is written, and deletes it")


async def check_response_cache(cache: ResponseCache, *, name: str) -> Health:
    """Put an answer, get it, invalidate it.

    Args:
        cache: Started.
        name: How people know it.
    """
    key, written = secrets.token_hex(32), CachedResponse(content="answer")
    await cache.put(key, written)
    kept = await cache.get(key)
    await cache.invalidate(key)
    return (
        _ok(f"{name} keeps what is put") if kept == written else _forgetful(name, "response_cache")
    )


def _ok(summary: str) -> Health:
    return Health(status=HealthStatus.OK, summary=summary)


def _forgetful(name: str, place: str) -> Health:
    return Health(
        status=HealthStatus.ERROR,
        summary=f"{name} does not give back what was written",
        remedy=f"check that the server behind {place} runs and can be written to",
    )
