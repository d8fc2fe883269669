"""A fallback that cannot take a request is left out."""

from collections.abc import Sequence
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Attachment,
    ModelOverloadedError,
    ModelUnavailableError,
    ToolCall,
    tool,
)
from arc_core.settings import AgentSettings
from arc_core.testing import RecordingMetrics, ScriptedChatModel, scripted_agent
from tests.arc_core.engine.entry_points import executed, streamed
from tests.attached_files import IMAGE, PDF

DOWN = ModelUnavailableError()
SMALL = {"max_context_window_tokens": 1100, "max_output_tokens": 1000}
"""A window with room for a question of a hundred characters."""


class Choosy(ScriptedChatModel):
    """Takes images in PNG, and no address of any."""

    def accepts(self, media_type: str) -> bool:
        """Nothing else."""
        return media_type == "image/png"

    def accepts_address(self, media_type: str) -> bool:
        """None."""
        del media_type
        return False


class World:
    """A model that falls back on two others, of which the second takes everything."""

    def __init__(
        self, own: Sequence[Any], quick: ScriptedChatModel, local: ScriptedChatModel, **entry: Any
    ) -> None:
        self.quick, self.local, self.metrics = quick, local, RecordingMetrics()
        models = {"quick": {"model": "mini-4", **entry}, "local": {"model": "tiny-4"}}
        llm = {"model": "large-4", "fallbacks": ["quick", "local"], "models": models}
        self.agent = scripted_agent(
            ScriptedChatModel(own),
            AgentSettings.model_validate({"llm": llm, "retry": {"max_attempts": 1}}),
            models={"quick": quick, "local": local},
            agent_metrics=self.metrics,
            tools=[draw],
        )

    async def execute(self, prompt: str = "Hello", **fields: Any) -> AgentResult:
        """A run."""
        return await self.agent.execute(AgentCommand(user_prompt=prompt, **fields))


@tool
async def draw() -> Attachment:
    """Draws something for printing."""
    return PDF


def world_of(own: Sequence[Any], *answers: str, **entry: Any) -> World:
    """With a fallback that is choosy, and one that is not."""
    return World(own, Choosy(answers), ScriptedChatModel(["From the last."]), **entry)


@pytest.mark.parametrize("run", [executed, streamed])
async def test_a_fallback_that_does_not_take_what_is_attached_is_left_out(
    run: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The next one is asked, and the log says why it was not the first."""
    world = world_of([DOWN])

    result = await run(world.agent, AgentCommand(user_prompt="What is it?", attachments=(PDF,)))

    assert (result.content, result.model) == ("From the last.", "local")
    assert world.quick.requests == []
    (record,) = (each for each in caplog.records if "left out" in each.getMessage())
    told = vars(record)
    assert (told["model"], told["reason"]) == (
        "quick",
        "the model does not take this type: application/pdf",
    )
    assert [each.fallback for each in world.metrics.model_calls] == ["local", None]


async def test_a_fallback_that_takes_what_is_attached_is_asked() -> None:
    """Whether it takes other types does not matter."""
    world = world_of([DOWN], "A cat.")

    assert (await world.execute(attachments=(IMAGE,))).model == "quick"


async def test_a_fallback_that_takes_bytes_alone_is_sent_no_address() -> None:
    """It is left out."""
    world = world_of([DOWN])
    image = Attachment("image/png", url="https://example.com/cat.png")

    assert (await world.execute(attachments=(image,))).model == "local"


async def test_what_a_tool_attaches_counts_too() -> None:
    """It is in the request of the next turn."""
    world = world_of([[ToolCall("1", "draw", "{}")], DOWN])

    assert (await world.execute()).model == "local"


async def test_a_fallback_with_too_small_a_window_is_left_out() -> None:
    """The request was made for a larger one."""
    world = world_of([DOWN], **SMALL)

    assert (await world.execute("x" * 101)).model == "local"


async def test_a_smaller_window_that_is_large_enough_will_do() -> None:
    """It is the request that counts."""
    world = world_of([DOWN], "Short.", **SMALL)

    assert (await world.execute("x", mode="standard", system_prompt="x")).model == "quick"


async def test_if_no_fallback_can_take_it_the_error_is_that_of_the_model() -> None:
    """Of the one that was asked."""
    world = World([ModelOverloadedError()], Choosy([]), Choosy([]))

    result = await world.execute(attachments=(PDF,))

    assert (result.error_code, result.model) == (AgentErrorCode.OVERLOADED, "large-4")
    assert [each.fallback for each in world.metrics.model_calls] == [None]


async def test_those_behind_one_that_is_left_out_are_asked_in_turn() -> None:
    """The last error is that of the last one that was asked."""
    world = World([DOWN], Choosy([]), ScriptedChatModel([ModelOverloadedError()]))

    result = await world.execute(attachments=(PDF,))

    assert (result.error_code, result.model) == (AgentErrorCode.OVERLOADED, "local")
