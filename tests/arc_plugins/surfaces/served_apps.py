"""Applications that are served: a model that does what it is told, and tools to do it with."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx2
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Agent,
    AssistantMessage,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    Reasoning,
    ServedApplication,
    Surface,
    ToolCall,
    ToolContext,
    ToolResultMessage,
    tool,
)
from arc_core.testing import BrokenOff, ScriptedChatModel

__all__ = [
    "PIECES",
    "SIZE",
    "GatedModel",
    "Release",
    "check_refused",
    "issues",
    "leave_run",
    "make_app",
    "make_gated_app",
    "make_obedient_model",
    "order",
    "parts_asked",
]

PIECES = [f"piece{number} " for number in range(60)]


@tool
async def weather(city: str, context: ToolContext) -> dict[str, object]:
    """How the weather is."""
    await context.progress("looking out of the window", 0.5)
    return {"city": city, "degrees": 21}


@tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


SIZE = {
    "type": "object",
    "properties": {"size": {"type": "integer", "description": "In centimetres."}},
    "required": ["size"],
}


@tool
async def order(context: ToolContext) -> str:
    """Order a shirt."""
    answer = await context.ask("Which size?", SIZE)
    return f"ordered size {answer['size']}"


@tool
async def issues(context: ToolContext) -> str:
    """List the issues of the user."""
    await context.credential("github")
    return "no issues"


def _obey(request: ChatRequest) -> Any:
    """What the user says is what the model does."""
    last = request.messages[-1]
    if isinstance(last, ToolResultMessage):
        return "Then: " + "; ".join(each.text for each in last.results)
    word, _, rest = last.text.partition(" ")
    does = _DOES.get(word)
    return f"You say {last.text}" if does is None else does(rest)


def _look(city: str) -> Any:
    call = ToolCall("c1", "weather", f'{{"city": "{city}"}}')
    return AssistantMessage("I look.", (call,), (Reasoning("a city"),))


def _pay(amounts: str) -> Any:
    calls = [ToolCall("c1", "pay", f'{{"amount": {each}}}') for each in amounts.split()]
    return AssistantMessage("I pay.", tuple(calls))


def _delegate(task: str) -> Any:
    return [ToolCall("d1", "ask_cashier", f'{{"task": "{task}"}}')]


def _order(_: str) -> Any:
    return [ToolCall("o1", "order", "{}")]


def _list_issues(_: str) -> Any:
    return [ToolCall("i1", "issues", "{}")]


def _break(_: str) -> Any:
    return BrokenOff("Half of ", ConnectionError("secret of the vendor"))


def _halve(_: str) -> Any:
    return "half \ud800"


_DOES = {
    "half": _halve,
    "weather": _look,
    "pay": _pay,
    "order": _order,
    "issues": _list_issues,
    "delegate": _delegate,
    "break": _break,
}


def make_obedient_model() -> ScriptedChatModel:
    """A model that does what the last message of the user says."""
    return ScriptedChatModel([_obey] * 100)


def make_app(model: ChatModel | None = None, *more: object, **sections: Any) -> Application:
    """An application with tools, and an agent that asks another one."""
    cashier = Agent("cashier", description="pays", tools=["pay", "weather"])
    boss = Agent("boss", tools=[], delegates=["cashier"])
    known = [model or make_obedient_model(), weather, pay, order, issues, cashier, boss, *more]
    return Application(ArcSettings(**sections), register=known, plugins=False)


def parts_asked(model: ScriptedChatModel) -> tuple[Any, ...]:
    """The parts of the last message that a model was asked."""
    last: Any = model.requests[-1].messages[-1]
    return tuple(last.content)


class GatedModel(ChatModel):
    """Says pieces, and the last ones only when it is told to.

    Attributes:
        gate: Lets it go on.
        left: Set when it was left, by its end or by a cancellation.
    """

    def __init__(self) -> None:
        self.gate, self.left = asyncio.Event(), asyncio.Event()

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Runs that are read are streamed."""
        raise NotImplementedError

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """The pieces; waits before the last ones."""
        try:
            for number, piece in enumerate(PIECES):
                if number == len(PIECES) - 2:
                    await self.gate.wait()
                yield ChatDelta(text=piece)
        finally:
            self.left.set()


class Release(Surface):
    """Lets a gated model go on, when a client asks for it."""

    order = 200

    def __init__(self, model: GatedModel) -> None:
        self._model = model

    def routes(self, application: ServedApplication) -> Sequence[Route]:
        """`GET /release`."""
        del application

        async def release(request: Request) -> Response:
            del request
            self._model.gate.set()
            return Response(status_code=204)

        return [Route("/release", release)]


def make_gated_app(**sections: Any) -> tuple[Application, GatedModel]:
    """An application whose run goes on until a client lets it end."""
    model = GatedModel()
    return make_app(model, Release(model), **sections), model


async def check_refused(
    client: httpx2.AsyncClient, path: str, body: Any, *, status: int, message: str
) -> None:
    """Post a body: the status and the message of the error are these."""
    response = await client.post(path, json=body)
    assert response.status_code == status
    assert message in response.json()["error"]["message"]


async def leave_run(client: httpx2.AsyncClient, path: str, body: Any, *, model: GatedModel) -> None:
    """Read the first bytes of a run and close the connection; return once its model is left."""
    async with client.stream("POST", path, json=body) as response:
        await anext(response.aiter_bytes())
    async with asyncio.timeout(30):
        await model.left.wait()
