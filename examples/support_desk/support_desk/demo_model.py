"""Stands in for a model as long as there is no key: it follows rules, and understands nothing."""

import json
import re
from collections.abc import AsyncIterator

from arc_autoconfig import on_env, provides
from arc_core import ChatDelta, ChatModel, ChatRequest, ChatResponse, ToolCall
from arc_core.messages import ToolResultMessage, UserMessage
from arc_core.testing import ScriptedChatModel

_EXPERTS = {"handbook": "rule", "billing": "refund|money|broken", "orders": "order"}
_HAS_KEY = on_env("OPENAI_API_KEY") | on_env("ANTHROPIC_API_KEY") | on_env("GEMINI_API_KEY")


@provides(ChatModel, name="demo", condition=~_HAS_KEY)
class DemoModel(ChatModel):
    """Hands over, looks orders up and pays back, as a real model would."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer whole."""
        return await ScriptedChatModel([reply_to]).complete(request)

    def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """Answer word by word."""
        return ScriptedChatModel([reply_to]).stream(request)


def reply_to(request: ChatRequest) -> str | list[ToolCall]:
    """The next tool call for the last question, or what the last call gave."""
    question, done = _read(request)
    expert = next((name for name, words in _EXPERTS.items() if re.search(words, question)), "")
    order, amount = (re.search(each, question) for each in (r"order (\d+)", r"(\d+) eur"))
    number = {"number": int(order[1])} if order else {}
    steps = {
        f"transfer_to_{expert}": {},
        f"ask_{expert}": {"task": question},
        "look_up_rule": {"topic": "refunds"},
        "find_orders": number,
    }
    if expert == "billing" and number and done.get("find_orders", "[]") != "[]":
        paid = amount[1] if amount else json.loads(done["find_orders"])[0]["paid"]
        steps["refund"] = {**number, "amount": float(paid)}
    offered = {tool.name for tool in request.tools} - done.keys()
    if expert and (name := next((each for each in steps if each in offered), None)):
        return [ToolCall(f"call_{len(request.messages)}", name, json.dumps(steps[name]))]
    *_, (name, text) = {"": "I know about orders, refunds and our rules.", **done}.items()
    if name != "find_orders":
        return text
    lines = map("- Order {number}, {item}: {state}".format_map, json.loads(text))
    return "\n".join(lines) or "You have no such order."


def _read(request: ChatRequest) -> tuple[str, dict[str, str]]:
    """The last question, and what each tool has said since."""
    question, done = "", dict[str, str]()
    for message in request.messages:
        if isinstance(message, UserMessage):
            question, done = message.text.lower(), {}
        elif isinstance(message, ToolResultMessage):
            done |= {each.name: each.text for each in message.results}
    return question, done
