"""The verdict of an outside judge on faults, retries and tools, for both vendors."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentErrorCode, AgentResult
from tests.architecture.source import ROOT
from tests.wire.agents import ends_of, events_of, get_weather
from tests.wire.judge import Judge, NoJudgeError, running_judge

pytestmark = [pytest.mark.pip, pytest.mark.timeout(300)]

PATHS = {"openai": "/v1", "anthropic": "/anthropic"}
VENDORS = pytest.mark.parametrize("vendor", PATHS)
STREAMED_OR_NOT = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])


@pytest.fixture(scope="module")
def court() -> Iterator[Judge]:
    """The judge, in its process."""
    try:
        with running_judge(ROOT / ".venv-judge") as judge:
            yield judge
    except NoJudgeError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no judge: {error}")


async def run(
    court: Judge, vendor: str, *, streaming: bool = False, **settings: Any
) -> AgentResult:
    """A run against the judge, with short waits."""
    base_url = court.url + PATHS[vendor]
    retry = {"initial_delay_s": 0.1}
    llm = {"provider": vendor, "base_url": base_url, "model": "judged"}
    arc_settings = ArcSettings(llm=llm, retry=retry, **settings)
    async with Application(arc_settings, register=[get_weather], plugins=False) as application:
        if not streaming:
            return await application.execute("What is the weather in Paris?")
        (end,) = ends_of(await events_of(application, "What is the weather in Paris?"))
        return end.result


def fail(status: int, **facts: Any) -> dict[str, Any]:
    """An HTTP error."""
    return {"type": "fail", "status": status, **facts}


def stream_fault(kind: str, after_chunks: int, **facts: Any) -> dict[str, Any]:
    """A fault in a stream."""
    return {"type": "stream_fault", "kind": kind, "after_chunks": after_chunks, **facts}


@pytest.mark.slow
@VENDORS
@STREAMED_OR_NOT
@pytest.mark.parametrize(
    "behavior",
    [
        fail(429, retry_after=0.3, times=2),
        fail(500, retry_after=0.1, times=2),
        fail(503, retry_after=0.1, times=2),
        fail(529, retry_after=0.1, times=2),
        fail(408, retry_after=0.1),
        fail(409, retry_after=0.1),
    ],
    ids=str,
)
async def test_what_passes_is_waited_for(
    court: Judge, vendor: str, behavior: dict[str, Any], *, streaming: bool
) -> None:
    """Rate limits, outages and overloads are tried again, in time and not before."""
    court.breaks(behavior)

    result = await run(court, vendor, streaming=streaming)

    assert result.success
    assert result.tools_used == ("get_weather",)
    assert court.findings() == []


@pytest.mark.slow
@VENDORS
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_what_does_not_pass_leads_to_no_retry(court: Judge, vendor: str, status: int) -> None:
    """One attempt, one failure."""
    court.breaks(fail(status))

    result = await run(court, vendor)

    assert not result.success
    assert court.findings() == []
    assert court.attempts() == 1


@pytest.mark.slow
@VENDORS
async def test_a_long_outage_is_given_up(court: Judge, vendor: str) -> None:
    """After the attempts that the settings allow, with growing waits."""
    court.breaks(fail(503, retry_after=0.1, times=None))

    result = await run(court, vendor)

    assert result.error_code is AgentErrorCode.UNAVAILABLE
    assert court.findings() == []
    assert court.attempts() == 3


@pytest.mark.slow
@VENDORS
@pytest.mark.parametrize("kind", ["disconnect", "truncate"])
async def test_a_stream_that_breaks_before_the_first_piece_leads_to_a_retry(
    court: Judge, vendor: str, kind: str
) -> None:
    """Nothing was handed out, so the caller notices nothing."""
    court.breaks(stream_fault(kind, 1))

    result = await run(court, vendor, streaming=True)

    assert result.success
    assert court.findings() == []


@pytest.mark.slow
@VENDORS
async def test_a_garbled_event_before_the_first_piece_leads_to_a_retry(
    court: Judge, vendor: str
) -> None:
    """The judge may warn: it takes what it had sent out in time for an answer that was used."""
    court.breaks(stream_fault("malformed", 1))

    result = await run(court, vendor, streaming=True)

    assert result.success
    assert set(court.findings()) <= {"malformed_chunk_ignored"}


@pytest.mark.slow
@VENDORS
async def test_a_stream_that_breaks_later_is_not_accepted(court: Judge, vendor: str) -> None:
    """The run fails and says so; it rightly does not try again, which the judge cannot know."""
    court.breaks({"type": "reply", "text": "one two three four"}, stream_fault("truncate", 4))

    result = await run(court, vendor, streaming=True)

    assert result.error_code is AgentErrorCode.UNAVAILABLE
    assert result.partial_content
    assert court.findings() == ["truncated_stream_accepted"]


@pytest.mark.slow
@VENDORS
async def test_a_stall_ends_with_the_deadline(court: Judge, vendor: str) -> None:
    """No caller sits through it."""
    court.breaks(stream_fault("stall", 1, stall_seconds=30))

    result = await run(court, vendor, streaming=True, concurrency={"request_timeout_s": 0.5})

    assert result.error_code is AgentErrorCode.TIMEOUT
    assert court.findings() == []


@pytest.mark.slow
@VENDORS
@STREAMED_OR_NOT
@pytest.mark.parametrize("kind", ["malformed_arguments", "unknown_tool"])
async def test_a_broken_tool_call_is_survived(
    court: Judge, vendor: str, kind: str, *, streaming: bool
) -> None:
    """The model is told, and the run ends well."""
    court.breaks({"type": "tool_fault", "kind": kind})

    result = await run(court, vendor, streaming=streaming)

    assert result.success
    assert court.findings() == []
