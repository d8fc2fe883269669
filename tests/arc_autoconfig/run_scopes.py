"""An application whose runs have a session each, which notes what becomes of it."""

from collections.abc import AsyncIterator
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import RunContext, ToolCall, ToolContext, service, tool
from arc_core.testing import ScriptedChatModel

__all__ = ["SEEN", "Session", "Sessions", "application", "calling", "one"]


SEEN: list[object] = []
"""What tools and components of a test were given; empty when the next one begins."""


class Session:
    """What a run works with."""


@tool
async def one(context: ToolContext) -> str:
    """Use the session of the run."""
    SEEN.append(await context.get(Session))
    return "ok"


class Sessions:
    """Opens sessions, and notes what becomes of them.

    Attributes:
        log: What has happened, in order.
        open: How many sessions are open.
    """

    def __init__(self) -> None:
        self.log: list[object] = []
        self.open = 0

    def factory(self) -> Any:
        """A service that makes a session for each run."""

        @service(scope="run")
        async def open_session(run: RunContext) -> AsyncIterator[Session]:
            self.log.append("open")
            self.open += 1
            try:
                yield Session()
            except BaseException as error:
                self.log.append(error)
                raise
            else:
                self.log.append("committed")
            finally:
                self.open -= 1

        return open_session


def application(*register: object, **settings: Any) -> Application:
    """An application with what is registered, and no plugins but Arc's own."""
    known = ArcSettings(_isolated=True, **settings)
    return Application(known, register=register, plugins=False)


def calling(*names: str, then: Any = "Done.") -> ScriptedChatModel:
    """A model that calls tools without arguments, all at once, and then answers."""
    calls = [ToolCall(str(number), name, "{}") for number, name in enumerate(names)]
    return ScriptedChatModel([calls, then])
