"""Checks of answers by functions of agents."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    ConfigurationError,
    FaultSource,
    OutputRetry,
    RunContext,
)
from arc_core.settings import AgentSettings, ConcurrencySettings
from arc_core.testing import RecordingMetrics, ScriptedChatModel, scripted_agent


class Flight(BaseModel):
    number: str


async def check_flight(flight: Flight, run: RunContext) -> OutputRetry | None:
    """Let only the flights of the user leave."""
    if flight.number.startswith(run.user_id):
        return None
    return OutputRetry(f"There is no flight {flight.number}. api_key=sk-hunter2hunter2hunter2")


async def answer_of(
    check: Callable[..., object], *turns: str, output: Any = Flight, **components: Any
) -> tuple[AgentResult, ScriptedChatModel]:
    """What an agent with this check answers, and what its model was asked."""
    model = ScriptedChatModel(list(turns))
    agent = Agent("flights", output=output, output_check=check)
    engine = scripted_agent(model, agents=(agent,), **components)
    command = AgentCommand(user_prompt="Which flight?", agent="flights", user_id="ann")
    return await engine.execute(command), model


async def test_a_good_answer_is_not_asked_for_again() -> None:
    """The check gets the value, and the run."""
    result, model = await answer_of(check_flight, '{"number": "ann-1"}')

    assert result.output == Flight(number="ann-1")
    assert len(model.requests) == 1


async def test_the_model_reads_what_is_wrong_and_answers_again() -> None:
    """In the same conversation, with secrets of the text masked."""
    result, model = await answer_of(check_flight, '{"number": "x"}', '{"number": "ann-1"}')

    assert result.output == Flight(number="ann-1")
    told = model.requests[1].messages[-1].text  # type: ignore[union-attr]
    assert "There is no flight x." in told
    assert "hunter2" not in told


async def test_a_second_answer_that_is_refused_fails_the_run() -> None:
    """There is one retry."""
    result, model = await answer_of(check_flight, '{"number": "x"}', '{"number": "y"}')

    assert (result.error_code, len(model.requests)) == (AgentErrorCode.INVALID_RESPONSE, 2)


def return_retry(text: str) -> OutputRetry | None:
    """Take Seoul alone."""
    return None if "Seoul" in text else OutputRetry()


def raise_retry(text: str) -> None:
    """Take Seoul alone."""
    if "Seoul" not in text:
        raise OutputRetry


@pytest.mark.parametrize("check", [return_retry, raise_retry])
async def test_a_text_is_checked_too_and_a_retry_may_be_raised(
    check: Callable[..., object],
) -> None:
    """A sync function may check; a retry without text has the model try again as well."""
    result, _ = await answer_of(check, "Busan", "Seoul", output=None)

    assert result.content == "Seoul"


class Hanging:
    """Never comes to an end."""

    async def __call__(self, _: object) -> None:
        await asyncio.Event().wait()


def fail(_: object) -> None:
    """Raise what no model is to read."""
    raise ValueError("password=hunter2")


def approve(_: object) -> bool:
    """Answer with what is neither None nor a retry."""
    return False


@pytest.mark.parametrize("check", [fail, approve, Hanging()])
async def test_a_check_that_fails_ends_the_run(check: Callable[..., object]) -> None:
    """An answer that could not be checked does not leave."""
    metrics = RecordingMetrics()
    settings = AgentSettings(concurrency=ConcurrencySettings(component_timeout_s=0.05))

    result, _ = await answer_of(check, '{"number": "x"}', agent_metrics=metrics, settings=settings)

    assert (result.error_code, result.content) == (AgentErrorCode.UNAVAILABLE, None)
    assert metrics.faults == [FaultSource.OUTPUT_CHECK]


@pytest.mark.parametrize(
    ("check", "problem"), [("no", "not a function"), (lambda: None, "no parameter for the output")]
)
def test_a_check_that_cannot_be_called_is_refused(check: Any, problem: str) -> None:
    """When the agent is made."""
    with pytest.raises(ConfigurationError, match=problem):
        Agent("flights", output_check=check)
