"""Servers that lie, change and flood, on real pipes."""

import asyncio
import json
import logging
import time
from pathlib import Path

import pytest

from arc_core import AssistantMessage, ChatResponse, ToolCall, ToolRetry
from arc_core.command import AgentCommand
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.tools.tool_inventory import ToolInventory
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.conformance.components import running
from tests.arc_plugins.tools.mcp.hostile import call, hostile, logged, mcp_tools, names

USUAL = ["echo", "change", "silence", "endless", "quit"]


async def test_an_unusable_tool_costs_that_tool_only(caplog: pytest.LogCaptureFixture) -> None:
    """Schemas that are not of objects, tools without a name: the rest of the list is kept."""
    async with running(mcp_tools(liar=hostile("unusable"))) as source:
        assert names(source) == [*USUAL, "odd"]

    told = str([getattr(record, "tools", "") for record in caplog.records])
    assert "list: its arguments are not an object" in told
    assert "none: its arguments are not an object" in told


async def test_the_pattern_of_a_server_does_not_stop_the_loop() -> None:
    """Arguments that a backtracking engine matches for ever are refused at once."""
    text = json.dumps({"text": "a" * 5_000 + "!"})
    calls = AssistantMessage("", tool_calls=(ToolCall("c-1", "bomb", text),))
    model = ScriptedChatModel([ChatResponse(calls), "Done."])
    async with running(mcp_tools(liar=hostile("patterns"))) as source:
        began = time.perf_counter()
        await scripted_agent(model, tools=(source,)).execute(AgentCommand(user_prompt="Hello"))

    assert time.perf_counter() - began < 5
    assert "does not match" in model.requests[1].messages[-1].results[0].content  # type: ignore[union-attr]


async def test_the_schema_of_a_result_does_not_stop_the_loop() -> None:
    """A result that a backtracking engine matches for ever is refused at once."""
    async with running(mcp_tools(liar=hostile("patterns"))) as source:
        with pytest.raises(ToolRetry, match="does not match"):
            await call(source, "output")


async def test_a_pattern_that_cannot_be_checked_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """A tool with look-ahead is offered without it, and the log says so."""
    async with running(mcp_tools(liar=hostile("patterns"))) as source:
        ahead = next(tool for tool in source.tools() if tool.name == "ahead")

    assert ahead.parameters["properties"] == {"text": {"type": "string"}}
    assert "ahead: (?=a)" in str([getattr(record, "tools", "") for record in caplog.records])


async def test_a_change_that_is_told_is_followed_and_logged() -> None:
    """After `tools/list_changed` the list is read again; the log has a digest of each change."""
    with logged("describes tools otherwise") as changes:
        async with running(mcp_tools(liar=hostile("tells"))) as source:
            await call(source, "change")
            await changes.seen.wait()
            await asyncio.sleep(0)
            assert names(source) == [*USUAL, "grown"]

    told = changes.records[0].tools  # type: ignore[attr-defined]
    assert [each.split(" sha256:")[0] for each in told] == [*USUAL, "grown"]


async def test_an_unanswered_call_does_not_change_the_list() -> None:
    """A server that changes its tools without a word offers what it offered before."""
    async with running(mcp_tools(liar=hostile())) as source:
        await call(source, "change")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await call(source, "silence")
        assert await call(source, "echo") == "done"

        assert names(source) == USUAL
        assert {tool.description for tool in source.tools()} == {"Harmless."}


@pytest.mark.slow
async def test_an_endless_line_fails_the_call_and_the_connection() -> None:
    """The model is told that the answer was too large; afterwards the server is there again."""
    with logged("mcp server is back") as back:
        async with running(mcp_tools(max_reply_bytes=100_000, liar=hostile())) as source:
            with pytest.raises(ToolRetry, match="larger than it may be"):
                await call(source, "endless")
            await back.seen.wait()
            assert await call(source, "echo") == "done"


async def test_standard_error_is_logged_line_by_line_and_harmless() -> None:
    """What a terminal would obey is escaped, and a long line is cut."""
    with logged("mcp server writes") as written:
        async with running(mcp_tools(liar=hostile("noisy"))):
            await written.seen.wait()

    lines = [record.line for record in written.records]  # type: ignore[attr-defined]
    assert lines[0].startswith(r"\x1b[2J\x1b]0;owned\x07 xxx")
    assert len(lines[0]) < 2100
    assert lines[1] == "plain"


async def test_the_first_server_keeps_a_name(caplog: pytest.LogCaptureFixture) -> None:
    """The second server's tools of these names are not offered, and one warning says so."""
    async with running(mcp_tools(one=hostile(), two=hostile("unusable"))) as source:
        inventory = ToolInventory([source], local=[], boundary=Boundary())
        assert list(inventory.collect().selectable) == [*USUAL, "odd"]
        assert list(inventory.collect().selectable) == [*USUAL, "odd"]

    warned = [each for each in caplog.records if "a server that is named earlier" in each.message]
    assert [getattr(each, "server", "") for each in warned] == ["two"]


async def test_pinned_tools_are_offered_as_they_were_confirmed(tmp_path: Path) -> None:
    """Nothing before it is confirmed, and of a changed tool nothing until it is confirmed again."""
    server = hostile("tells", pin=str(tmp_path / "pins.json"))
    async with running(mcp_tools(liar=server)) as source:
        assert names(source) == []
    pinned = await mcp_tools(liar=server).pin_tools()

    with logged("not offered until") as held_back:
        async with running(mcp_tools(liar=server)) as source:
            assert names(source) == USUAL
            await call(source, "change")
            await held_back.seen.wait()
            await asyncio.sleep(0)
            assert names(source) == []

    assert [name for name, _ in pinned[0].tools] == USUAL


async def test_a_broken_file_of_pins_offers_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file that cannot be read is not a confirmation."""
    (tmp_path / "pins.json").write_text("[")
    async with running(mcp_tools(liar=hostile(pin=str(tmp_path / "pins.json")))) as source:
        assert names(source) == []

    assert "the file of confirmed mcp tools cannot be used" in caplog.text


def test_no_running_loop_is_needed() -> None:
    """A constructor keeps what it is given and connects to nothing."""
    logging.getLogger("arc.mcp")

    assert names(mcp_tools(liar=hostile())) == []
