"""Recordings that leave their store."""

import json
from typing import Any

import pytest

from arc_autoconfig import Application
from arc_core import (
    AgentCommand,
    Attachment,
    ConfigurationError,
    LoginRequest,
    TextMask,
    ToolCall,
    ToolContext,
    tool,
)
from arc_core.recordings import Step, read_recording, read_steps
from arc_core.testing import ScriptedChatModel
from arc_core.testing.fakes import DictCredentials

SECRET, MAIL = "sk-proj-" + "a1B2" * 10, "ann@example.com"


@tool
async def find_order(order: str) -> dict[str, str]:
    """Find an order."""
    return {"order": order, "buyer": MAIL, "api_key": SECRET}


def shop(*components: Any) -> Application:
    """An application that records its runs, whose model calls a tool and answers."""
    calls = [ToolCall("1", "find_order", json.dumps({"order": f"7 of {MAIL}"}))]
    model = ScriptedChatModel([calls, f"It is on its way to {MAIL}, with {SECRET}."] * 2)
    return Application(register=[model, find_order, *components], plugins=False, record=True)


COMMAND = AgentCommand(
    user_prompt=f"I am {MAIL}. Where is my order?",
    user_id=MAIL,
    metadata={MAIL: {"type": SECRET}},
    attachments=(Attachment("text/plain", SECRET.encode()), Attachment("image/png", b"\x89PNG")),
)


async def export(*components: Any, command: AgentCommand = COMMAND, raw: bool = False) -> str:
    """The line of a run."""
    async with shop(*components) as app:
        result = await app.execute(command)
        [line] = [line async for line in app.export([result.run_id], raw=raw)]
    return line


async def test_secrets_and_personal_data_are_masked() -> None:
    """In the command, in steps and in parts, and so are attached texts; other bytes are zeros."""
    line = await export()

    assert SECRET not in line
    assert MAIL not in line
    command = read_recording(line).command
    assert command.user_prompt == "I am [email]. Where is my order?"
    assert command.metadata == {"[email]": {"type": "[secret]"}}
    assert [each.data for each in command.attachments] == [b"[secret]", bytes(4)]


@tool
async def list_issues(context: ToolContext) -> str:
    """List the issues of the user."""
    await context.credential("github")
    return "none"


async def test_the_link_of_a_login_is_masked() -> None:
    """In what is exported and in what is shown of the run; who has it could log in for the user."""
    model = ScriptedChatModel([[ToolCall("1", "list_issues", "{}")]])
    parts = [model, list_issues, DictCredentials()]
    async with Application(register=parts, plugins=False, record=True) as app:
        result = await app.execute("List", user_id="ann")
        [line] = [line async for line in app.export([result.run_id])]
        shown = await (await app.records.find(result.run_id)).step("login/0/1")

    [request] = result.waiting
    assert isinstance(request, LoginRequest)
    assert request.url == "https://arc.example/oauth/login/1"
    steps = {step.name: step for step in read_steps(read_recording(line))}
    assert steps["login/0/1"].value.url == "https://arc.example/oauth/login/***"
    assert request.url not in f"{line}{shown}"


async def test_a_raw_export_masks_nothing() -> None:
    """It is asked for by name."""
    line = await export(raw=True)

    assert SECRET in line
    assert read_recording(line).command == COMMAND


async def test_every_part_has_a_digest_under_the_key_of_the_file() -> None:
    """So that masked texts can be compared without the store."""
    steps = {step.name: step for step in read_steps(read_recording(await export()))}

    digests = [part.digest for part in _parts(steps["model/1"]) + _parts(steps["model/2"])]
    assert len(digests) == 5
    assert all(digests)
    assert steps["enter"].value.wiring


def _parts(step: Step) -> list[Any]:
    return [*step.value.request.parts]


async def test_the_key_of_the_store_does_not_leave_it() -> None:
    """Two files have two keys, and no digest of one stands in the other."""
    async with shop() as app:
        result = await app.execute(COMMAND)
        lines = [line for _ in range(2) async for line in app.export([result.run_id])]

    first, second = map(read_recording, lines)
    assert first.digest_key != second.digest_key
    assert not first.parts.keys() & second.parts.keys()


class NameMask(TextMask):
    """Masks the name of a project."""

    async def mask(self, text: str) -> str:
        return text.replace("order", "[project]")


async def test_a_package_may_bring_a_mask() -> None:
    """It is asked after Arc's own about every text."""
    assert read_recording(await export(NameMask)).command.user_prompt == (
        "I am [email]. Where is my [project]?"
    )


class BrokenMask(TextMask):
    """Cannot tell."""

    async def mask(self, text: str) -> str:
        raise ConfigurationError("the list of names is not there", remedy="install it")


async def test_nothing_is_exported_if_a_mask_fails() -> None:
    """Masks fail closed."""
    with pytest.raises(ConfigurationError, match="the list of names is not there"):
        await export(BrokenMask)


async def test_runs_that_are_not_recorded_cannot_be_exported() -> None:
    """The error says how to record them."""
    async with Application(register=[ScriptedChatModel(["Hi."])], plugins=False) as app:
        result = await app.execute("Hi")
        with pytest.raises(ConfigurationError, match="record"):
            [line async for line in app.export([result.run_id])]
