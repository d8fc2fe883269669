"""An application for code without an event loop, through all that is wired."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest
from pydantic import BaseModel

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.errors import ApplicationStateError, ComponentError
from arc_core import AssistantMessage, RunFinished, ToolCall, UserMessage, tool
from arc_core.testing import RecordingHook, ScriptedChatModel

CALL = ToolCall("1", "look", "{}")

who: ContextVar[str] = ContextVar("who", default="nobody")


class Invoice(BaseModel):
    customer: str


@tool
async def look() -> str:
    """Looks."""
    return f"seen by {who.get()}"


def application(*turns: Any, register: Any = (look,)) -> Application:
    """An application with this script."""
    settings = ArcSettings(_isolated=True)
    return Application(settings, register=[ScriptedChatModel(turns), *register], plugins=False)


def test_conversations_are_kept_until_the_end() -> None:
    """The second run sees the first."""
    model = ScriptedChatModel(["Hello.", "Again."])
    app = Application(ArcSettings(_isolated=True), register=[model], plugins=False)

    with app.blocking() as blocking:
        blocking.execute("Hi", session_id="s")
        blocking.execute("And?", session_id="s")

    assert model.requests[1].messages == (
        UserMessage("Hi"),
        AssistantMessage("Hello."),
        UserMessage("And?"),
    )


async def test_the_blocking_adapter_works_inside_a_running_loop() -> None:
    """As a notebook has one."""
    with application("Hello.").blocking() as blocking:
        assert blocking.execute("Hi").unwrap() == "Hello."


def test_the_type_of_the_answer_is_taken() -> None:
    """With the other keywords of a run."""
    with application('{"customer": "Ann"}').blocking() as blocking:
        result = blocking.execute("Hi", output=Invoice, user_id="ann")

    assert result.output == Invoice(customer="Ann")


async def test_a_run_is_read_while_it_goes_on() -> None:
    """Text, events and the result, inside a running loop too."""
    with application("How are you?").blocking() as blocking, blocking.stream("Hi") as run:
        texts, events = list(run.text()), list(run.events())
        result = run.result()

    assert "".join(texts) == result.unwrap() == "How are you?"
    assert events[-1] == RunFinished(result)


def test_values_of_the_output_type_grow() -> None:
    """The validated one is the last."""
    with (
        application('{"customer": "Ann and Bob"}').blocking() as blocking,
        blocking.stream("Hi", output=Invoice) as run,
    ):
        assert list(run.partial_outputs())[-1] == Invoice(customer="Ann and Bob")


def test_streams_of_one_kind_are_there_too() -> None:
    """Texts, and events."""
    with application("One.", "Two.").blocking() as blocking:
        assert "".join(blocking.execute_stream("Hi")) == "One."
        assert isinstance([*blocking.stream_events("Hi")][-1], RunFinished)


def test_the_context_variables_of_the_caller_reach_the_tools() -> None:
    """Such as the span of a trace."""
    with application([CALL], "Done.").blocking() as blocking:
        who.set("ann")
        result = blocking.execute("Hi")

    assert result.messages[2].results[0].content == "seen by ann"  # type: ignore[union-attr]


def test_many_threads_may_use_the_blocking_adapter_at_once() -> None:
    """Each gets its own answer."""
    turns = [lambda request: f"To {request.messages[-1].content}"] * 20
    with application(*turns).blocking() as blocking, ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(lambda number: blocking.execute(f"{number}").content, range(20))]

    assert answers == [f"To {number}" for number in range(20)]


def test_a_second_one_at_the_same_time_is_refused() -> None:
    """An application is started once; the first goes on."""
    app = application("Hello.")
    with app.blocking() as blocking:
        with pytest.raises(ApplicationStateError, match="already started"), app.blocking():
            pass
        with pytest.raises(ApplicationStateError, match="already started"), blocking:
            pass

        assert blocking.execute("Hi").unwrap() == "Hello."


def test_it_can_be_entered_again_after_its_end() -> None:
    """Each time is a life of its own."""
    app = application("One.", "Two.")

    with app.blocking() as first:
        first.execute("Hi")
    with app.blocking() as second:
        assert second.execute("Hi").unwrap() == "Two."


def test_a_use_outside_of_the_with_is_refused() -> None:
    """Before and after it."""
    blocking = application("Hello.").blocking()

    with pytest.raises(ApplicationStateError, match="not started"):
        blocking.execute("Hi")
    with blocking:
        pass
    with pytest.raises(ApplicationStateError, match="not started"):
        blocking.stream("Hi")


def test_a_start_that_fails_says_why() -> None:
    """And the application can be started later."""

    class Failing(RecordingHook):
        async def start(self) -> None:
            raise RuntimeError("no network")

    app = application("Hello.", register=[Failing()])

    for _ in range(2):
        with pytest.raises(ComponentError, match="no network"), app.blocking():
            pass


def test_a_run_that_goes_on_at_the_end_is_cancelled() -> None:
    """Its thread is told, and its hooks see the end."""
    begun, hook = threading.Event(), RecordingHook()

    @tool
    async def endless() -> str:
        """Never returns."""
        begun.set()
        await _never()
        return ""

    app = application([ToolCall("1", "endless", "{}")], register=[endless, hook])
    with ThreadPoolExecutor(1) as pool:
        with app.blocking() as blocking:
            waiting = pool.submit(blocking.execute, "Hi")
            begun.wait()

        assert isinstance(waiting.exception(), ApplicationStateError)
        assert hook.response.error_code == "CANCELLED"


def test_an_interrupt_cancels_the_run_and_closes_the_application() -> None:
    """Ctrl-C leaves nothing behind."""
    hook, threads = RecordingHook(), threading.active_count()

    @tool
    async def endless() -> str:
        """Never returns."""
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        await _never()
        return ""

    app = application([ToolCall("1", "endless", "{}")], register=[endless, hook])
    with pytest.raises(KeyboardInterrupt), app.blocking() as blocking:
        blocking.execute("Hi")

    assert hook.response.error_code == "CANCELLED"
    assert threading.active_count() == threads


def test_a_synchronous_tool_may_use_it() -> None:
    """Its thread is not that of the loop."""

    @tool
    def ask() -> str:
        """Asks."""
        return str(blocking.execute("Sub?").unwrap())

    app = application([ToolCall("1", "ask", "{}")], "Sub.", "Done.", register=[ask])
    with app.blocking() as blocking:
        assert blocking.execute("Hi").messages[2].results[0].content == "Sub."  # type: ignore[union-attr]


def test_a_stream_that_is_left_early_cancels_its_run() -> None:
    """As on an event loop."""
    hook = RecordingHook()
    with application("Hi " * 500, register=[hook]).blocking() as blocking:
        with blocking.stream("Hi") as run:
            next(iter(run.text()))

        assert hook.response.error_code == "CANCELLED"


async def _never() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("kind", ["execute_stream", "stream_events"])
def test_leaving_with_an_open_reading_prints_no_traceback(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is closed with the application, and its run is cancelled."""
    hook = RecordingHook()
    long = " ".join(["word"] * 1_000)

    with application(long, register=(hook,)).blocking() as blocking:
        reading = getattr(blocking, kind)("Go.")
        next(reading)

    assert [each.name for each in caplog.records if each.name == "asyncio"] == []
    assert hook.names[-1] == "after_agent_complete"
    with pytest.raises(ApplicationStateError, match="closed"):
        next(reading)


@pytest.mark.parametrize("method", ["execute", "stream", "execute_stream", "submit", "waiting"])
def test_a_use_after_a_fork_is_refused(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child has no thread that could answer; only the parent may go on."""
    arguments = () if method == "waiting" else ("Go.",)
    with application("Hello.").blocking() as blocking:
        with monkeypatch.context() as child:
            child.setattr("os.getpid", lambda: -1)
            with pytest.raises(ApplicationStateError, match="forked"):
                getattr(blocking, method)(*arguments)

        assert blocking.execute("Hi").unwrap() == "Hello."


FORKING = """
import os
from arc_autoconfig import Application, ArcSettings
from arc_core.testing import ScriptedChatModel

app = Application(
    ArcSettings(_isolated=True), register=[ScriptedChatModel(["Hello."])], plugins=False
)
with app.blocking() as blocking:
    child = os.fork()
    if child == 0:
        try:
            with blocking.stream("Hi") as run:
                pass
        except Exception as error:
            print(type(error).__name__, flush=True)
    else:
        os.waitpid(child, 0)
        print(blocking.execute("Hi").content, flush=True)
print("left", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_process_ends() -> None:
    """It is told of its mistake, and leaves the `with` as its parent does."""
    done = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout.split() == ["ApplicationStateError", "left", "Hello.", "left"]
