"""From what a tool returns to what the model reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from arc_core import AgentCommand, Text, ToolCall, ToolOutcome, ToolResult, ToolResultMessage, tool
from arc_core.engine.tool_calls.tool_output import UnreadableOutputError, render, retry_text
from arc_core.settings import AgentSettings, ToolsSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from tests.attached_files import IMAGE


@dataclass
class City:
    """A value of the user's."""

    name: str
    founded: date


class Weather(BaseModel):
    """A pydantic value."""

    city: str
    degrees: float


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is ö ", "as it is ö "),
        ("", ""),
        (None, "null"),
        (True, "true"),
        (12.5, "12.5"),
        ({"a": [1, 2], "ö": None}, '{"a":[1,2],"ö":null}'),
        ((1, 2), "[1,2]"),
        (City("Seoul", date(1394, 10, 28)), '{"name":"Seoul","founded":"1394-10-28"}'),
        (Weather(city="Seoul", degrees=25), '{"city":"Seoul","degrees":25.0}'),
        (b"bytes that are text", '"bytes that are text"'),
        (datetime(2025, 1, 2, tzinfo=UTC), '"2025-01-02T00:00:00Z"'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (ToolOutcome.SUCCESS, "success"),
    ],
    ids=repr,
)
def test_values_become_text(value: object, text: str) -> None:
    """Text stays as it is, anything else becomes compact JSON."""
    assert render(value, max_chars=100) == text


def _circle() -> list[Any]:
    values: list[Any] = []
    values.append(values)
    return values


@pytest.mark.parametrize(
    "value",
    [b"\xff\xfe", object(), _circle(), {"f": print}],
    ids=["bytes", "object", "circle", "function"],
)
def test_what_is_neither_text_nor_json_is_refused(value: object) -> None:
    """The error names the type, not the value."""
    with pytest.raises(UnreadableOutputError) as refused:
        render(value, max_chars=100)

    assert str(refused.value) == type(value).__name__


async def read_of(value: object, **settings: Any) -> ToolResult:
    """What the model reads of a tool that returns this."""

    @tool
    async def give() -> Any:
        return value

    model = ScriptedChatModel([[ToolCall("1", "give", "{}")], "Done."])
    agent = scripted_agent(model, AgentSettings(**settings), tools=(give,))
    result = await agent.execute(AgentCommand(user_prompt="Give."))
    message = model.requests[1].messages[-1]
    assert result.success
    assert isinstance(message, ToolResultMessage)
    return message.results[0]


async def test_a_megabyte_is_shown_as_far_as_the_settings_allow() -> None:
    """`tools.max_output_chars` bounds what a tool can fill the window with, too."""
    result = await read_of("x" * 1_000_000, tools=ToolsSettings(max_output_chars=1000))

    assert len(result.text) <= 1000
    assert result.text.startswith("x" * 493 + "\n[tool/0: 1 000 000 characters, 1 line; ")
    assert result.outcome is ToolOutcome.SUCCESS


async def test_bytes_fail_the_call_alone() -> None:
    """The model reads that the output cannot be read."""
    result = await read_of(b"\x89PNG\xff")

    assert result.content == "Error: Tool 'give' returned data that is neither text nor JSON"
    assert result.outcome is ToolOutcome.FAILED


class Hostile(Mapping[str, Any]):
    """Fails the code that looks into it."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("password=hunter2")

    def __iter__(self) -> Any:
        raise RuntimeError("password=hunter2")

    def __len__(self) -> int:
        return 1


async def test_a_value_that_raises_fails_the_call_alone() -> None:
    """Whatever goes wrong while a value is read, the run goes on and the model learns no reason."""
    result = await read_of(Hostile())

    assert result.outcome is ToolOutcome.FAILED
    assert "hunter2" not in result.content


async def test_text_that_no_vendor_could_encode_does_not_end_the_run() -> None:
    """Half a character, as file names may have, is replaced before it is sent."""
    result = await read_of("file-\udcff.txt")

    result.text.encode()
    assert result.text.startswith("file-")


@given(st.text(), st.integers(10, 50))
def test_retry_text_is_bounded_and_an_error_once(text: str, most: int) -> None:
    """Whatever a tool writes, the model reads one "Error:" and no more than allowed."""
    told = retry_text(f"Error: error: {text}", max_chars=most)

    assert told is None or len(told) <= most
    assert told is None or told.removeprefix("Error: ").lstrip()[:6].lower() != "error:"


@pytest.mark.parametrize("text", ["", " \n", "Error: ", None, RuntimeError("hunter2")], ids=repr)
def test_blank_retry_text_says_nothing(text: object) -> None:
    """Neither a blank nor what is not a text reaches the model."""
    assert retry_text(text, max_chars=100) is None


@pytest.mark.parametrize("room", range(3980, 4000))
def test_retry_text_is_masked_before_it_is_cut(room: int) -> None:
    """A secret at the place of the cut does not lose the form by which it is known."""
    told = retry_text("x" * room + " sk-abcdefghijklmnopqrstuvwxyz", max_chars=50_000)

    assert told is not None
    assert "sk-" not in told


def test_texts_beside_attachments_share_one_bound() -> None:
    """What a tool returns is bounded as a whole."""
    parts = ["x" * 8, IMAGE, "y" * 8]

    cut = Text("yy\n[Output truncated: 2 of 8 characters]")
    assert render(parts, max_chars=10) == (Text("x" * 8), IMAGE, cut)
