"""Stands in for a model as long as there is no key: it follows rules, and understands nothing."""

import json
import re
from collections.abc import AsyncIterator

from arc_autoconfig import on_env, provides
from arc_core import (
    Attachment,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    ToolCall,
    UserMessage,
)
from arc_core.messages import ToolResultMessage
from arc_core.testing import ScriptedChatModel

_HAS_KEY = on_env("OPENAI_API_KEY") | on_env("ANTHROPIC_API_KEY") | on_env("GEMINI_API_KEY")


@provides(ChatModel, name="demo", condition=~_HAS_KEY)
class DemoModel(ChatModel):
    """Reads what it is given, and the archive if the question is about contracts or minutes."""

    def accepts(self, media_type: str) -> bool:
        """Return True for everything that people attach."""
        return True

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer whole."""
        return await ScriptedChatModel([reply_to]).complete(request)

    def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """Answer word by word."""
        return ScriptedChatModel([reply_to]).stream(request)


def reply_to(request: ChatRequest) -> str | list[ToolCall]:
    """The next step: a tool call, or the answer."""
    tools = {tool.name for tool in request.tools}
    asked = [each for each in request.messages if isinstance(each, UserMessage)]
    later = request.messages[request.messages.index(asked[-1]) :]
    results = [r for each in later if isinstance(each, ToolResultMessage) for r in each.results]
    question = asked[-1].text.rpartition("[Question]")[2]
    if "contract" in question and "transfer_to_archivist" in tools:
        return _call("transfer_to_archivist")
    if "find_contracts" in tools and not any(each.name == "find_contracts" for each in results):
        return _call("find_contracts")
    if years := re.search(r"minutes of (\d{4}) to (\d{4})", question):
        return _read_on(int(years[1]), int(years[2]), results[-1].text if results else "")
    return results[-1].text if results else _read_given(asked[-1])


def _read_given(asked: UserMessage) -> str:
    """Answer from what came with the question: files, or passages of the documents."""
    if files := [part for part in asked.content if isinstance(part, Attachment)]:
        return f"You have attached {files[0].name or 'a file'}, which is {files[0].media_type}."
    passages = asked.text.rpartition("[Question]")[0].partition("[Retrieved Context]")[2].strip()
    return f"The documents say:\n\n{passages}" if passages else "The documents do not say."


def _read_on(first: int, last: int, result: str) -> str | list[ToolCall]:
    """Read one year after the other; what fell out of the window is looked up in the end."""
    year = int(found[1]) if (found := re.match(r"(\d{4}), item", result)) else first - 1
    if result and not found:
        return f"I have read {last + 1 - first} years. About the fire drill:\n{result}"
    if year < last:
        return _call("read_minutes", year=year + 1)
    return _call("read_result", find="fire drill")


def _call(name: str, **arguments: object) -> list[ToolCall]:
    return [ToolCall(f"call_{name}_{arguments.get('year', 0)}", name, json.dumps(arguments))]
