"""How much of a request is the beginning of the one before: `python -m benchmarks.prompt_prefix`.

Vendors bill the unchanged beginning of a request at about a tenth. One session of many runs, with
documents, a tool selector, trimming and summaries, is sent to a vendor on loopback; what is
compared are the bytes that arrived, without the marks for the vendor's cache, which a prompt does
not have. A cut is a request whose tools or system prompt differ from those of the request before,
or whose history begins elsewhere. Each line of the table has

- the bytes of a request, and how much of them are tools and instructions;
- the average share of a request's bytes that the request before began with;
- how many requests were cuts;
- for the others, how much is left of what stood before the previous question: on average, and in
  the worst case.
"""

import argparse
import asyncio
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Annotated, Any

from pydantic import Field

from arc_core import AgentCommand, ChatModel, Document, Retriever, Tool, tool
from arc_core.injection_marks import Registered
from arc_core.interfaces.agent_executor import AgentExecutor
from arc_core.log import get_logger
from arc_core.settings import AgentSettings, LlmSettings, RagPlace, RagSettings, Trim
from arc_core.testing import scripted_agent
from arc_core.testing.conformance.lifecycle import running
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore
from arc_plugins.conversations.managers.summarizing import SummarizingConversationManager
from arc_plugins.conversations.settings import ConversationSettings
from arc_plugins.estimators.heuristic import HeuristicTokenEstimator
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.openai.chat_model import OpenAIChatModel
from arc_plugins.selectors.lexical.selector import LexicalToolSelector
from arc_plugins.selectors.settings import ToolsSettings

_CACHE_MARK = re.compile(rb',?"cache_control":\{[^{}]*\}')
_TOPICS = ("invoice", "parcel", "refund", "contract", "meeting", "password", "holiday", "printer")
_ACTIONS = ("find", "open", "change", "close", "send")
_INSTRUCTIONS = " ".join(
    f"Rule {number}: of a {topic} say what is known, be exact, name the source, and never guess."
    for number, topic in enumerate(_TOPICS * 4, 1)
)
_TALK = "It was sent on Monday and confirmed by the office; the next step is a call to the branch. "
_ARGUMENTS = {"number": "A-17", "reason": _TALK, "language": "en", "notify": False}
_TURNS_A_TOPIC = 25
_TURNS_A_TOOL_CALL = 4


@dataclass(frozen=True, slots=True)
class VendorForm:
    """How a vendor's requests look.

    Attributes:
        model: Asks the vendor at an address.
        path: Of the address.
        head: What of a body, beside the first message, makes a cut if it changes.
        messages: The field that has the messages.
        answer: The body of an answer, given the text, or the name of the tool that is called.
    """

    model: Callable[[LlmSettings], ChatModel]
    path: str
    head: tuple[str, ...]
    messages: str
    answer: Callable[[str, str | None], dict[str, Any]]


def _chat_completion(text: str, called: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if called:
        function = {"name": called, "arguments": json.dumps(_ARGUMENTS)}
        calls = [{"id": "call_1", "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if called else "stop"}
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}


def _message(text: str, called: str | None) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    if called:
        block = {"type": "tool_use", "id": "toolu_1", "name": called, "input": _ARGUMENTS}
    reason = "tool_use" if called else "end_turn"
    return {"id": "msg_1", "type": "message", "content": [block], "stop_reason": reason}


VENDORS = {
    "openai chat": VendorForm(
        lambda settings: OpenAIChatModel(settings=settings),
        "/v1", ("tools",), "messages", _chat_completion,
    ),
    "anthropic": VendorForm(
        lambda settings: AnthropicChatModel(settings=settings),
        "", ("tools", "system"), "messages", _message,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One line of the table.

    Attributes:
        size: Bytes of a request, on average.
        head: Of them, the share of tools and instructions.
        share: Average share of a request's bytes that the request before began with.
        requests: How many were compared with the one before.
        cuts: How many of them are cuts.
        kept: Of what stood before the previous question, the share that is left, on average over
            the other requests; 1 if there are none.
        least: The same, in the worst of them.
    """

    size: float
    head: float
    share: float
    requests: int
    cuts: int
    kept: float
    least: float


class _Library(Retriever):
    """Finds other passages for each question."""

    def __init__(self) -> None:
        self._asked = 0

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        """Three passages."""
        del query
        self._asked += 1
        return [
            Document(f"Passage {self._asked}.{number}: {_TALK * 3}", source=f"page-{number}.md")
            for number in range(3)
        ][:limit]


def _tools() -> Iterator[Tool]:
    for topic in _TOPICS:
        for action in _ACTIONS:

            async def work(
                number: Annotated[str, Field(description="As it is printed on the first page.")],
                reason: Annotated[str, Field(description="What the customer said, in a sentence.")],
                language: Annotated[str, Field(description="Of the letter, as in en or ko.")],
                *,
                notify: Annotated[bool, Field(description="Whether the customer gets a letter.")],
            ) -> str:
                del reason, language, notify
                return f"{number} is done. {_TALK}"

            words = f"{action.capitalize()} a {topic} of a customer by its number."
            describe = tool(name=f"{action}_{topic}", description=f"{words} {_TALK * 2}")
            yield describe(work)


def _question(turn: int) -> str:
    topic = _TOPICS[turn // _TURNS_A_TOPIC % len(_TOPICS)]
    return f"Question {turn}: can you {_ACTIONS[turn % len(_ACTIONS)]} the {topic}? {_TALK}"


def _is_summary(body: bytes) -> bool:
    return b"You keep the notes of a conversation" in body


def _reply_as(form: VendorForm) -> Callable[[ReceivedRequest], Reply]:
    def reply(request: ReceivedRequest) -> Reply:
        if _is_summary(request.body):
            return Reply.json(form.answer(f"Notes of {len(request.body)} bytes. {_TALK * 5}", None))
        body = request.json()
        last = json.dumps(body[form.messages][-1])
        asked = re.search(r"Question (\d+):", last)
        is_to_call = asked is not None and int(asked[1]) % _TURNS_A_TOOL_CALL == 0
        return Reply.json(form.answer(_TALK * 4, _first_tool(body) if is_to_call else None))

    return reply


def _first_tool(body: dict[str, Any]) -> str:
    first: dict[str, Any] = body["tools"][0]
    name: str = first.get("name") or first["function"]["name"]
    return name


async def measure(form: VendorForm, settings: AgentSettings, *, turns: int) -> Figures:
    """The figures of a session of so many runs."""
    async with VendorServer(*[_reply_as(form)] * (4 * turns)) as server:
        llm = settings.llm.model_copy(update={"base_url": f"{server.url}{form.path}"})
        model = form.model(llm)
        async with running(model), running(_manager(model, settings)) as manager:
            agent = _agent(model, manager, settings.model_copy(update={"llm": llm}))
            for turn in range(turns):
                await _ask(agent, turn)
                await _wait_for_summary(manager)
        bodies = [each.body for each in server.requests if not _is_summary(each.body)]
    return figures_of(form, bodies)


async def _wait_for_summary(manager: SummarizingConversationManager) -> None:
    """A user who reads the answer gives it the time."""
    while tasks := list(manager._running.values()):  # noqa: SLF001 -- no run waits for it
        await asyncio.wait(tasks)


async def _ask(agent: AgentExecutor, turn: int) -> None:
    command = AgentCommand(user_prompt=_question(turn), user_id="ann", session_id="s")
    result = await agent.execute(command)
    assert result.success, result.error_message


def _manager(model: ChatModel, settings: AgentSettings) -> SummarizingConversationManager:
    assert isinstance(settings.conversation, ConversationSettings)
    return SummarizingConversationManager(
        store=InMemoryConversationStore(),
        chat_model=model,
        settings=settings.conversation,
        llm=LlmSettings(),
        logger=get_logger("prompt_prefix"),
    )


def _agent(
    model: ChatModel, manager: SummarizingConversationManager, settings: AgentSettings
) -> AgentExecutor:
    return scripted_agent(
        model,
        settings,
        tools=tuple(_tools()),
        local_tools=Registered(()),
        tool_selector=LexicalToolSelector(settings=ToolsSettings(max_selected=10)),
        retriever=_Library(),
        token_estimator=HeuristicTokenEstimator(),
        conversation_manager=manager,
    )


def figures_of(form: VendorForm, bodies: Sequence[bytes]) -> Figures:
    """Each request compared with the one before."""
    unmarked = [_CACHE_MARK.sub(b"", body) for body in bodies]
    shares, kept, cuts = [], [], 0
    for before, now in pairwise(unmarked):
        common = _common_bytes(before, now)
        shares.append(common / len(now))
        if _is_cut(_head(form, before), _head(form, now)):
            cuts += 1
        else:
            kept.append(min(1.0, common / _before_question(before)))
    sizes = list(map(len, unmarked))
    return Figures(
        size=fmean(sizes),
        head=fmean(_head_bytes(form, body) / len(body) for body in unmarked),
        share=fmean(shares),
        requests=len(shares),
        cuts=cuts,
        kept=fmean(kept or [1.0]),
        least=min(kept, default=1.0),
    )


def _common_bytes(before: bytes, now: bytes) -> int:
    low, high = 0, min(len(before), len(now))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == now[:middle] else (low, middle - 1)
    return low


def _is_cut(before: list[Any], now: list[Any]) -> bool:
    """Whether anything has changed; a history that was empty has not."""
    return before[:-1] != now[:-1] or before[-1] not in (None, now[-1])


def _head(form: VendorForm, body: bytes) -> list[Any]:
    """What a request begins with, the first message of history last."""
    fields = json.loads(body)
    messages = fields[form.messages]
    first = next((each for each in messages[:-1] if each["role"] != "system"), None)
    system = [each for each in messages if each["role"] == "system"]
    return [*(fields.get(name) for name in form.head), system, first]


def _head_bytes(form: VendorForm, body: bytes) -> int:
    fields = json.loads(body)
    instructions = fields["system"] if "system" in form.head else fields[form.messages][0]
    return len(json.dumps([fields["tools"], instructions], separators=(",", ":")))


def _before_question(body: bytes) -> int:
    """Where in a body the message of its question begins."""
    return body.rindex(b'{"role":"user"', 0, body.rindex(b"Question "))


def settings_of(
    *,
    trim: Trim = Trim.STEPS,
    place: RagPlace = RagPlace.USER,
    max_turns: int = 10,
    window: int = 128_000,
) -> AgentSettings:
    """The settings of a session."""
    return AgentSettings(
        llm=LlmSettings(system_prompt=_INSTRUCTIONS, max_context_window_tokens=window),
        conversation=ConversationSettings(trim=trim, max_turns=max_turns, summarize=True),
        rag=RagSettings(place=place),
    )


CASES = {
    "as it comes": settings_of(),
    "50 turns": settings_of(max_turns=50),
    "small window": settings_of(max_turns=100, window=16_000),
    "exact, system": settings_of(trim=Trim.EXACT, place=RagPlace.SYSTEM),
}


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prompt_prefix", description=__doc__)
    parser.add_argument("--turns", type=int, default=100, help="of the session (100)")
    return parser.parse_args()


async def main() -> None:
    """Measure and report."""
    os.environ |= {"OPENAI_API_KEY": "sk-bench", "ANTHROPIC_API_KEY": "sk-bench"}
    turns: int = options().turns
    print(f"{'':28}{'bytes':>7} {'head':>6} {'prefix':>7} {'cuts':>10} {'left':>7} {'worst':>7}")
    for name, form in VENDORS.items():
        for case, settings in CASES.items():
            found = await measure(form, settings, turns=turns)
            print(
                f"{name:12} {case:14} {found.size:7.0f} {found.head:6.0%} {found.share:7.1%} "
                f"{f'{found.cuts} of {found.requests}':>10} {found.kept:7.1%} {found.least:7.1%}"
            )


if __name__ == "__main__":
    asyncio.run(main())
