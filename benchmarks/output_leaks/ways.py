"""The ways on which what a model says can leave an application."""

import json
import logging
import random
import re
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Agent,
    CachedResponse,
    ConversationOwner,
    ResponseCache,
    ToolCall,
    UserMessage,
    tool,
)
from arc_core.testing import RecordingHook
from benchmarks.output_leaks.saying import SayingModel, Turn

__all__ = ["WAYS", "Way", "World"]

Seen = list[object]

_NOT_ESCAPED = re.compile(r"(?<!\\)[a-zA-Z0-9]")


class Note(BaseModel):
    """The value of a structured answer."""

    text: str


class StaleCache(ResponseCache):
    """Has kept one answer from a time without guards."""

    def __init__(self) -> None:
        self.content: str | None = None

    async def get(self, key: str) -> CachedResponse | None:
        """That answer."""
        return None if self.content is None else CachedResponse(content=self.content)

    async def put(self, key: str, response: CachedResponse) -> None:
        """Show what would be kept for others."""

    async def invalidate(self, key: str) -> None:
        """Keep it."""

    async def invalidate_all(self) -> None:
        """Keep it."""


class _Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(repr(vars(record)))


class World:
    """An application with the built-in guards, and everything that it lets out.

    Args:
        output: The settings of the guards.
        dice: Cut what is streamed.
    """

    def __init__(self, output: dict[str, Any], dice: random.Random) -> None:
        self.model, self.cache = SayingModel(dice), StaleCache()
        self.dice, self.hook, self.log = dice, RecordingHook(), _Log()
        self.sent: list[str] = []

        @tool
        async def send(text: str) -> str:
            """Send a text."""
            self.sent.append(text)
            return "sent"

        settings = ArcSettings.model_validate(
            {
                "output": output,
                "llm": {"temperature": 0},
                "cache": {"enabled": True},
                "logging": {"level": "DEBUG"},
            }
        )
        boss, clerk = Agent("boss", delegates=["clerk"]), Agent("clerk")
        self.app = Application(
            settings, register=[self.model, self.cache, self.hook, send, boss, clerk]
        )

    async def __aenter__(self) -> "World":
        await self.app.start()
        logging.getLogger().addHandler(self.log)
        return self

    async def __aexit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self.log)
        await self.app.aclose()

    async def seen_on(self, way: "Way", text: str) -> str:
        """Everything that anyone has seen of a run whose model says a text on one way."""
        self.hook.calls.clear()
        self.log.lines.clear()
        self.cache.content = None
        seen = await way(self, text)
        return "\n".join(map(_show, (*seen, *self.hook.calls, *self.log.lines)))


Way = Callable[[World, str], Awaitable[Seen]]


def _show(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


async def execute(world: World, text: str) -> Seen:
    """The result, and what the conversation keeps of it."""
    world.model.say(Turn(text))
    session = f"s{world.dice.random()}"
    result = await world.app.execute("Say it.", session_id=session)
    kept = await world.app.container.conversation_store().load(
        session, owner=ConversationOwner(user_id="anonymous", tenant_id=None), max_turns=9
    )
    return [result, kept]


async def execute_stream(world: World, text: str) -> Seen:
    """The text stream."""
    world.model.say(Turn(text))
    return ["".join([piece async for piece in world.app.execute_stream("Say it.")])]


async def stream_events(world: World, text: str) -> Seen:
    """The events, and the text in them put together."""
    world.model.say(Turn(text))
    events = [event async for event in world.app.stream_events("Say it.")]
    return [*events, "".join(getattr(event, "text", "") for event in events)]


async def run_stream(world: World, text: str) -> Seen:
    """The text of `app.stream`, and its result."""
    world.model.say(Turn(text))
    async with world.app.stream("Say it.") as run:
        pieces = "".join([piece async for piece in run.text()])
        return [pieces, await run.result()]


async def partial_outputs(world: World, text: str) -> Seen:
    """The values of a structured answer while it grows, and the last one."""
    is_escaped = world.dice.random() < 0.3
    document = json.dumps({"text": text}, ensure_ascii=not is_escaped)
    if is_escaped:
        document = _NOT_ESCAPED.sub(lambda each: _escape(each[0], world.dice), document)
    world.model.say(Turn(document))
    async with world.app.stream("Say it.", output=Note) as run:
        values = [value async for value in run.partial_outputs()]
        return [*values, await run.result()]


def _escape(letter: str, dice: random.Random) -> str:
    return f"\\u{ord(letter):04x}" if dice.random() < 0.2 else letter


async def reasoning(world: World, text: str) -> Seen:
    """What the model thinks aloud."""
    world.model.say(Turn("Done.", thought=text))
    if world.dice.random() < 0.5:
        return [await world.app.execute("Think.")]
    events = [event async for event in world.app.stream_events("Think.")]
    return [*events, "".join(getattr(event, "text", "") for event in events)]


async def tool_arguments(world: World, text: str) -> Seen:
    """The arguments of a tool call, in events, hooks and messages."""
    arguments = json.dumps({"text": text}, ensure_ascii=world.dice.random() < 0.5)
    world.model.say(Turn(calls=(ToolCall("1", "send", arguments),)), Turn("Done."))
    return [event async for event in world.app.stream_events("Send it.")]


async def before_tool_call(world: World, text: str) -> Seen:
    """What the model says before it calls a tool."""
    call = ToolCall("1", "send", '{"text": "hello"}')
    world.model.say(Turn(text, calls=(call,)), Turn("Done."))
    if world.dice.random() < 0.5:
        return [await world.app.execute("Send it.")]
    events = [event async for event in world.app.stream_events("Send it.")]
    return [*events, "".join(getattr(event, "text", "") for event in events)]


async def across_turns(world: World, text: str) -> Seen:
    """A text that a tool call parts: readers of the stream put it together."""
    place = world.dice.randrange(len(text) + 1)
    call = ToolCall("1", "send", '{"text": "hello"}')
    world.model.say(Turn(text[:place], calls=(call,)), Turn(text[place:] or "."))
    return ["".join([piece async for piece in world.app.execute_stream("Send it.")])]


async def cache_hit(world: World, text: str) -> Seen:
    """An answer that was kept before there was a guard."""
    world.model.say(Turn("Not this."))
    world.cache.content = text
    return [await world.app.execute("Say it.", conversation_history=(UserMessage("Hi."),))]


async def ask_agent(world: World, text: str) -> Seen:
    """What an agent says that another one asks."""
    call = ToolCall("1", "ask_clerk", '{"task": "Say it."}')
    world.model.say(Turn(calls=(call,)), Turn(text), Turn("Done."))
    if world.dice.random() < 0.5:
        return [await world.app.agent("boss").execute("Ask.")]
    events = [event async for event in world.app.agent("boss").stream_events("Ask.")]
    return [*events, "".join(getattr(event, "text", "") for event in events)]


async def read_again(world: World, text: str) -> Seen:
    """A run that a journal keeps: its events twice, and its result."""
    world.model.say(Turn(text))
    run_id = await world.app.submit("Say it.")
    seen: Seen = []
    for _ in range(2):
        async with world.app.attach(run_id) as run:
            events = [event async for event in run.events()]
        seen += [*events, "".join(getattr(event, "text", "") for event in events)]
    return [*seen, await world.app.result(run_id)]


WAYS: dict[str, Way] = {
    way.__name__: way
    for way in (
        execute,
        execute_stream,
        stream_events,
        run_stream,
        partial_outputs,
        reasoning,
        tool_arguments,
        before_tool_call,
        across_turns,
        cache_hit,
        ask_agent,
        read_again,
    )
}
