"""Says in the log why a request does not begin like the session's one before.

For people who wonder why a vendor's cache had nothing: only at DEBUG is anything remembered.
"""

import logging
from collections.abc import Iterator

from arc_core.engine.session_memory import SessionMemory
from arc_core.interfaces.chat_model import ChatRequest
from arc_core.log import get_logger
from arc_core.messages import Message, UserMessage

__all__ = ["PromptBreaks"]

logger = get_logger("turns")

_MAX_SESSIONS = 1_000


class PromptBreaks:
    """Compares each request of a session with the one before."""

    def __init__(self) -> None:
        self._sent: SessionMemory[ChatRequest] = SessionMemory(max_sessions=_MAX_SESSIONS)

    def report(self, request: ChatRequest) -> None:
        """Write a debug line if the request begins anew; nothing happens without a session."""
        key = request.cache_key
        if key is None or not logger.isEnabledFor(logging.DEBUG):
            return
        before = self._sent.get(key)
        self._sent.put(key, request)
        if before is not None and (causes := list(_differences(before, request))):
            logger.debug("a request begins otherwise than the one before", broken_by=causes)


def _differences(before: ChatRequest, now: ChatRequest) -> Iterator[str]:
    """What is different, from what stands first in a prompt on."""
    if before.model != now.model:
        yield "model"
    if before.tools != now.tools:
        yield "tools"
    if before.system_prompt != now.system_prompt:
        yield "system prompt"
    if before.tools and before.tool_choice != now.tool_choice:
        yield "tool choice"
    history = _history_of(before)
    if now.messages[:1] != history[:1] and history:
        yield "history cut"
    elif now.messages[: len(history)] != history:
        yield "history changed"


def _history_of(request: ChatRequest) -> tuple[Message, ...]:
    """What stood before the question, whose documents do not come again."""
    messages = request.messages
    places = range(len(messages) - 1, -1, -1)
    last = next((place for place in places if isinstance(messages[place], UserMessage)), 0)
    return messages[:last]
