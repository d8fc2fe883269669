"""A vendor that says nothing is given up before the run's time is over, and another one answers."""

from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentErrorCode, AgentResult, RunFinished
from arc_core.testing.vendor_server import Ending, Reply, VendorServer
from tests.wire.models import model_type_of
from tests.wire.scripts import TEXT_STREAMS, text_reply

CHAT = model_type_of(is_chat=True)
SILENT = Reply.nothing(Ending.STALLED)
HEAD_ONLY = Reply.events(TEXT_STREAMS[CHAT]).cut_off(0, Ending.STALLED)
STREAMED_OR_NOT = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])


async def ask(settings: dict[str, Any], *, streaming: bool) -> AgentResult[Any]:
    """The result of a run."""
    async with Application(ArcSettings(**settings), plugins=False) as app:
        if not streaming:
            return await app.execute("Hello")
        events = [event async for event in app.stream_events("Hello")]
        return next(event.result for event in events if isinstance(event, RunFinished))


def settings_of(silent: VendorServer, other: VendorServer | None, **llm: Any) -> dict[str, Any]:
    """A model at a silent server, which falls back on the one at another, if there is one."""
    entry = {} if other is None else {"base_url": f"{other.url}/v1", "timeout_s": 30}
    return {
        "llm": {
            "provider": "openai",
            "base_url": f"{silent.url}/v1",
            "models": {"other": entry} if entry else {},
            "fallbacks": ["other"] if entry else [],
            **llm,
        },
        "retry": {"max_attempts": 2, "initial_delay_s": 0},
    }


@STREAMED_OR_NOT
@pytest.mark.parametrize("silence", [SILENT, HEAD_ONLY], ids=["no byte", "no body"])
async def test_a_silent_vendor_is_fallen_back_from(silence: Reply, *, streaming: bool) -> None:
    """After `llm.timeout_s` of silence, as often as it is tried."""
    answer = Reply.events(TEXT_STREAMS[CHAT]) if streaming else text_reply(CHAT, "Hi.")
    async with VendorServer(silence, silence) as silent, VendorServer(answer) as other:
        result = await ask(settings_of(silent, other, timeout_s=0.5), streaming=streaming)

    assert result.success, result.error_message
    assert result.model == "other"
    assert len(silent.requests) == 2


async def test_the_silence_of_one_model_may_be_longer() -> None:
    """An entry of `llm.models` has its own `timeout_s`, and takes that of `llm` without one."""
    async with VendorServer(SILENT) as silent, VendorServer(SILENT) as other:
        settings = settings_of(silent, other)
        settings["llm"]["models"]["other"]["timeout_s"] = 0.5
        settings["retry"]["max_attempts"] = 1
        async with Application(ArcSettings(**settings), plugins=False) as app:
            result = await app.execute("Hello", model="other")

    assert result.error_code is AgentErrorCode.TIMEOUT


async def test_the_circuit_of_a_silent_vendor_opens() -> None:
    """The second run is refused at once."""
    async with VendorServer(SILENT, SILENT) as silent:
        settings = settings_of(silent, None, timeout_s=0.5)
        settings["circuit"] = {"failure_threshold": 1}
        async with Application(ArcSettings(**settings), plugins=False) as app:
            results = [await app.execute("Hello") for _ in range(2)]

    codes = [each.error_code for each in results]
    assert codes == [AgentErrorCode.TIMEOUT, AgentErrorCode.UNAVAILABLE]
    assert len(silent.requests) == 2
