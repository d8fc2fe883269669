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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from pydantic import Field

from arc_core import AgentCommand, ChatModel, ConversationStore, Document, Retriever, Tool, tool
from arc_core.components.injection import Registered
from arc_core.interfaces.agent_executor import AgentExecutor
from arc_core.log import get_logger
from arc_core.settings import AgentSettings, LlmSettings, RagPlace, RagSettings, Trim
from arc_core.testing import scripted_agent
from arc_core.testing.conformance.components import running
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore
from arc_plugins.conversations.managers.summarizing import SummarizingConversationManager
from arc_plugins.conversations.settings import HistorySettings
from arc_plugins.estimators.heuristic import HeuristicTokenEstimator
from arc_plugins.selectors.lexical.selector import LexicalToolSelector
from arc_plugins.selectors.settings import SelectionSettings
from benchmarks.prefix_figures import Figures, figures_of
from benchmarks.prefix_vendors import VENDORS, VendorForm

_TOPICS = ("invoice", "parcel", "refund", "contract", "meeting", "password", "holiday", "printer")
_ACTIONS = ("find", "open", "change", "close", "send")
_INSTRUCTIONS = " ".join(
    f"Rule {number}: of a {topic} say what is known, be exact, name the source, and never guess."
    for number, topic in enumerate(_TOPICS * 4, 1)
)
_TALK = "It was sent on Monday and confirmed by the office; the next step is a call to the branch. "
_TURNS_A_TOPIC = 25
_TURNS_A_TOOL_CALL = 4


@dataclass(frozen=True, slots=True)
class Case:
    """A session.

    Attributes:
        settings: Of its runs.
        tools: How many there are to select from.
    """

    settings: AgentSettings
    tools: int | None = None


class _Library(Retriever):
    """Finds other passages for each question."""

    def __init__(self) -> None:
        self._asked = 0

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
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


async def measure(form: VendorForm, case: Case, *, turns: int, engines: int = 1) -> Figures:
    """The figures of a session of so many runs.

    Args:
        form: How the vendor writes requests.
        case: The session.
        turns: Of it.
        engines: Serve them in turn, as processes behind a load balancer do that share a store.
    """
    async with VendorServer(*[_reply_as(form)] * (4 * turns)) as server:
        settings = case.settings
        llm = settings.llm.model_copy(update={"base_url": f"{server.url}{form.path}"})
        settings = settings.model_copy(update={"llm": llm})
        async with AsyncExitStack() as stack:
            store, served = InMemoryConversationStore(), []
            for _ in range(engines):
                model = await stack.enter_async_context(running(form.model(llm)))
                made = _manager(model, store, settings)
                manager = await stack.enter_async_context(running(made))
                tools = tuple(islice(_tools(), case.tools))
                served.append((_agent(model, manager, settings=settings, tools=tools), manager))
            for turn in range(turns):
                agent, manager = served[turn % engines]
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


def _manager(
    model: ChatModel, store: ConversationStore, settings: AgentSettings
) -> SummarizingConversationManager:
    assert isinstance(settings.conversation, HistorySettings)
    return SummarizingConversationManager(
        store=store,
        chat_model=model,
        settings=settings.conversation,
        llm=LlmSettings(),
        logger=get_logger("prompt_prefix"),
    )


def _agent(
    model: ChatModel,
    manager: SummarizingConversationManager,
    *,
    settings: AgentSettings,
    tools: tuple[Tool, ...],
) -> AgentExecutor:
    return scripted_agent(
        model,
        settings,
        tools=tools,
        local_tools=Registered(()),
        tool_selector=LexicalToolSelector(settings=SelectionSettings(max_selected=10)),
        retriever=_Library(),
        token_estimator=HeuristicTokenEstimator(),
        conversation_manager=manager,
    )


def settings_of(
    *,
    trim: Trim = Trim.STEPS,
    place: RagPlace = RagPlace.USER,
    max_turns: int = 10,
    window: int = 128_000,
    instructions: str = _INSTRUCTIONS,
) -> AgentSettings:
    """The settings of a session."""
    return AgentSettings(
        llm=LlmSettings(system_prompt=f"Help. {instructions}", max_context_window_tokens=window),
        conversation=HistorySettings(trim=trim, max_turns=max_turns, summarize=True),
        rag=RagSettings(place=place),
    )


CASES = {
    "as it comes": Case(settings_of()),
    "50 turns": Case(settings_of(max_turns=50)),
    "small window": Case(settings_of(max_turns=100, window=16_000)),
    "short head": Case(settings_of(instructions=""), tools=2),
    "same, 50 turns": Case(settings_of(instructions="", max_turns=50), tools=2),
    "exact, system": Case(settings_of(trim=Trim.EXACT, place=RagPlace.SYSTEM)),
}


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prompt_prefix", description=__doc__)
    parser.add_argument("--turns", type=int, default=100, help="of the session (100)")
    parser.add_argument(
        "--engines", type=int, default=1, help="that serve them in turn over one store (1)"
    )
    return parser.parse_args()


async def main() -> None:
    """Measure and report."""
    os.environ |= {"OPENAI_API_KEY": "sk-bench", "ANTHROPIC_API_KEY": "sk-bench"}
    asked = options()
    print(f"{'':33}{'bytes':>7} {'head':>6} {'prefix':>7} {'cuts':>10} {'left':>7} {'worst':>7}")
    for name, form in VENDORS.items():
        for title, case in CASES.items():
            found = await measure(form, case, turns=asked.turns, engines=asked.engines)
            print(
                f"{name:17} {title:14}  {found.size:7.0f} {found.head:6.0%} {found.share:7.1%} "
                f"{f'{found.cuts} of {found.requests}':>10} {found.kept:7.1%} {found.least:7.1%}"
            )


if __name__ == "__main__":
    asyncio.run(main())
