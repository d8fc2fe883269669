"""Resources that a caller attaches by address, as the model and the record of the run have them."""

from collections.abc import Mapping
from typing import Any

import pytest

from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    Attachment,
    AttachmentError,
    Tool,
    ToolContext,
    ToolRetry,
    UserMessage,
)
from arc_core.messages.content import get_attachments
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.components import running
from arc_core.testing.scripted_agent import scripted_agent

IMAGE = Attachment("image/png", data=b"hi", name="plan.png")


class Notes(Tool):
    """Reads notes, and remembers for whom."""

    name, description, timeout_s = "read_note", "Read a note.", None
    parameters: Mapping[str, Any] = {"type": "object"}
    resources_at = "memo://notes/"

    def __init__(self, **marks: object) -> None:
        self.asked: list[tuple[str, str]] = []
        self.needs_approval = marks.get("needs_approval", False)

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Read one."""
        address = arguments["address"]
        self.asked.append((address, context.user_id))
        if address == "missing":
            raise ToolRetry("there is no such note")
        return ("The plan:", IMAGE) if address == "plan" else f"The text of {address}."


async def attach(*addresses: str, notes: Notes, agent: Agent | None = None) -> Any:
    """The result of a run with these resources, and what the model was sent of them."""
    model = ScriptedChatModel(["Done."])
    agents = () if agent is None else (agent,)
    executor = scripted_agent(model, tools=(notes,), agents=agents)
    async with running(executor):
        result = await executor.execute(
            AgentCommand(
                user_prompt="Read.",
                user_id="ann",
                agent=None if agent is None else agent.name,
                attachments=tuple(map(Attachment.from_resource, addresses)),
            )
        )
    sent = model.requests[0].messages[-1] if model.requests else UserMessage("")
    assert isinstance(sent, UserMessage)
    return result, get_attachments(sent.content)


async def test_a_resource_is_read_when_the_run_begins() -> None:
    """In the name of its user; texts are text files, attachments stay what they are."""
    notes = Notes()

    result, sent = await attach("memo://notes/file:///a.txt", "memo://notes/plan", notes=notes)

    assert result.success
    assert sent == (
        Attachment("text/plain", data=b"The text of file:///a.txt.", name="a.txt"),
        Attachment("text/plain", data=b"The plan:", name="plan"),
        IMAGE,
    )
    assert notes.asked == [("file:///a.txt", "ann"), ("plan", "ann")]


@pytest.mark.parametrize("address", ["memo://notes/missing", "memo://others/a", "file:///etc/x"])
async def test_a_resource_that_cannot_be_read_ends_the_run(address: str) -> None:
    """No model is asked."""
    result, sent = await attach(address, notes=Notes())

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert "cannot be attached" in result.error_message
    assert sent == ()


async def test_an_agent_without_the_tool_has_no_resources_of_it() -> None:
    """An attachment leads no further than the agent does."""
    notes = Notes()

    result, _ = await attach("memo://notes/a", notes=notes, agent=Agent("shy", tools=[]))

    assert "no tool of the agent reads it" in result.error_message
    assert notes.asked == []


async def test_a_tool_that_needs_an_approval_reads_no_attachments() -> None:
    """No person is asked about those."""
    notes = Notes(needs_approval=True)

    result, _ = await attach("memo://notes/a", notes=notes)

    assert "needs an approval" in result.error_message
    assert notes.asked == []


@pytest.mark.parametrize("address", ["https://a.example/x.png", "notes", "data://x"])
def test_only_addresses_of_resources_are_attached_so(address: str) -> None:
    """Others have a way of their own."""
    with pytest.raises(AttachmentError, match="not the address of a resource"):
        Attachment.from_resource(address)
