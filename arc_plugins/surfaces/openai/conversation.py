"""The messages of a request, as a command has them: a prompt, and what was said before."""

from collections.abc import Sequence
from typing import Any

from arc_core import (
    AssistantMessage,
    Attachment,
    Content,
    Message,
    Text,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.serving import Problem
from arc_plugins.surfaces.openai.contents import Parts, read_content, text_of_parts


class Conversation:
    """Collects messages in their order; the last one, of the user, is the prompt."""

    def __init__(self) -> None:
        self._instructions: list[str] = []
        self._messages: list[Message] = []
        self._unanswered: dict[str, str] = {}

    def add(self, role: str, content: Parts, place: str, *, calls: Sequence[ToolCall] = ()) -> None:
        """Add a message of a client."""
        where = f"{place}.content"
        match role:
            case "user":
                self.ask(read_content(content, where), place)
            case "assistant":
                self.answer(text_of_parts(content, where), calls, place)
            case _:
                self.instruct(text_of_parts(content, where))

    def instruct(self, text: str) -> None:
        """Add to the system prompt."""
        if text:
            self._instructions.append(text)

    def ask(self, content: Content, place: str) -> None:
        """Add what the user said."""
        self._check_answered(place)
        self._messages.append(UserMessage(content))

    def answer(self, text: str, calls: Sequence[ToolCall], place: str) -> None:
        """Add what the model said, and the calls that it asked for."""
        last = self._messages[-1] if self._messages else None
        if not text and isinstance(last, AssistantMessage):  # Responses has an item for each call
            self._messages[-1] = AssistantMessage(last.content, (*last.tool_calls, *calls))
        else:
            self._check_answered(place)
            self._messages.append(AssistantMessage(text, tuple(calls)))
        self._unanswered |= {call.id: call.name for call in calls}

    def report(self, call_id: str, content: Content, place: str) -> None:
        """Add what a call gave."""
        name = self._unanswered.pop(call_id, None)
        if name is None:
            message = f"{place} is the result of a call that does not stand before it."
            raise Problem(422, "invalid_request", message, param=place)
        result, last = ToolResult(call_id, name, content), self._messages[-1]
        if isinstance(last, ToolResultMessage):
            self._messages[-1] = ToolResultMessage((*last.results, result))
        else:
            self._messages.append(ToolResultMessage((result,)))

    @property
    def has_history(self) -> bool:
        """Return whether there are messages before the prompt."""
        return len(self._messages) > 1

    def as_fields(self, place: str) -> dict[str, Any]:
        """The fields of a command."""
        last = self._messages[-1] if self._messages else None
        if not isinstance(last, UserMessage):
            message = f"The last of {place} is not a message of the user; send what is asked."
            raise Problem(422, "invalid_request", message, param=place)
        parts = (Text(last.content),) if isinstance(last.content, str) else last.content
        attachments = tuple(part for part in parts if isinstance(part, Attachment))
        prompt = "\n".join(part.text for part in parts if isinstance(part, Text))
        if not prompt.strip() and not attachments:
            message = f"The last of {place} is empty; send what is asked."
            raise Problem(422, "invalid_request", message, param=place)
        return {
            "user_prompt": prompt,
            "attachments": attachments,
            "system_prompt": "\n\n".join(self._instructions) or None,
            "conversation_history": tuple(self._messages[:-1]),
        }

    def _check_answered(self, place: str) -> None:
        if self._unanswered:
            name = next(iter(self._unanswered.values()))
            message = f"A call of {name!r} before {place} has no result; send it, too."
            raise Problem(422, "invalid_request", message, param=place)
